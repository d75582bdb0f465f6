package mirror_test

import (
	"io"
	"mime/quotedprintable"
	"net/http"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/mail"
	"github.com/conclave-rooms/conclave/internal/mail/mailtest"
	"github.com/conclave-rooms/conclave/internal/schedule/caldavtest"
)

// post lets the service send mails to a server of the test.
func (d *testService) post() *mailtest.Server {
	d.t.Helper()
	to := new(mailtest.Server)
	to.Start(d.t)
	sender, err := mail.New("smtp://"+to.Address, "Conclave <meet@example.com>", d.Now)
	if err != nil {
		d.t.Fatal(err)
	}
	d.Calendars.Mail = sender
	return to
}

// read returns the subject and the text of a mail to the owner.
func read(t *testing.T, c mailtest.Conversation) (subject, text string) {
	t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(c.Data))
	if err != nil || c.To != "TO:<"+owner+">" {
		t.Fatalf("%v; the client said %+v", err, c)
	}
	raw, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil {
		t.Fatal(err)
	}
	return m.Header.Get("Subject"), strings.ReplaceAll(string(raw), "\r\n", "\n")
}

// The owner of a calendar that no longer grants access gets one mail that says what to
// do.
func TestTheOwnerOfALostCalendarGetsAMail(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		post, to := d.post(), caldavtest.Start(t)
		d.connect(to)
		to.Answer(caldavtest.Status(http.StatusUnauthorized))
		d.plan("One", "")
		d.plan("Two", "")
		d.Settle()
		subject, text := read(t, post.Ended(t))
		want := "Your meetings are no longer written to the calendar \"Work\" (CalDAV).\nThe provider no longer grants access to it.\n\n" +
			"To go on, connect it again on your account page:\n\nhttps://meet.example.com/account\n\nEverything that changed meanwhile is written then.\n"
		if subject != "A calendar you connected needs your attention" || text != want {
			t.Errorf("the mail %q says %q", subject, text)
		}
		d.Advance(48 * time.Hour)
		if n := post.Asked(); n != 1 {
			t.Errorf("%d mails were sent", n)
		}
	})
}

// The owner of a calendar that was given up gets a mail as well.
func TestTheOwnerOfACalendarThatIsGivenUpGetsAMail(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		post, to := d.post(), caldavtest.Start(t)
		d.connect(to)
		to.Answer(caldavtest.Status(http.StatusInternalServerError))
		d.ask(http.MethodPost, "/meetings", `{"title": "Late", "starts_at": "2026-12-23T10:00:00Z", "ends_at": "2026-12-23T11:00:00Z"}`)
		d.Settle()
		d.Advance(7 * 24 * time.Hour)
		if _, text := read(t, post.Ended(t)); !strings.Contains(text, "\nNothing could be written to it for seven days.\n") {
			t.Errorf("the mail says %q", text)
		}
	})
}

// A mail that the server refuses is sent again every ten minutes for a day, but no
// longer once the calendar is connected again.
func TestARefusedMailIsSentAgainForADay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(d *testService, post *mailtest.Server, to *caldavtest.Server)
		tries     int
		arrives   bool
	}{
		"taken then": {func(d *testService, post *mailtest.Server, _ *caldavtest.Server) {
			post.Refuse("")
			d.Advance(10*time.Minute - time.Millisecond)
			if n := post.Asked(); n != 1 {
				d.t.Errorf("too early it was tried %d times", n)
			}
			d.Advance(time.Millisecond)
		}, 2, true},
		"a day later": {func(d *testService, post *mailtest.Server, _ *caldavtest.Server) {
			d.Advance(24 * time.Hour)
			post.Ended(d.t)
			post.Refuse("")
			d.Advance(10 * time.Minute)
		}, 2, false},
		"connected again": {func(d *testService, post *mailtest.Server, to *caldavtest.Server) {
			post.Refuse("")
			to.Answer(nil)
			d.connect(to)
			d.Advance(10 * time.Minute)
		}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, d *testService) {
				post, to := d.post(), caldavtest.Start(t)
				d.connect(to)
				to.Answer(caldavtest.Status(http.StatusUnauthorized))
				d.plan("Review", "")
				post.Refuse("RCPT")
				d.Settle()
				if first := post.Ended(t); first.Data != "" {
					t.Fatalf("a refused mail came: %+v", first)
				}
				c.meanwhile(d, post, to)
				if n := post.Asked(); n != c.tries {
					t.Fatalf("the mail was tried %d times, want %d", n, c.tries)
				}
				if c.arrives {
					read(t, post.Ended(t))
				}
			})
		})
	}
}

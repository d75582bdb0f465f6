package mirror_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/schedule/caldavtest"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
)

// A server that is down for an hour gets few requests, however many meetings there are,
// and has all meetings in the end.
func TestAServerThatIsDownForAnHour(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		stays := d.plan("Stays", "")
		goes := d.plan("Goes", "")
		d.Settle()
		to.Answer(caldavtest.Status(http.StatusBadGateway))
		to.Asked()
		want := map[string]string{stays.ID: "Moved"}
		for i := range 20 {
			m := d.plan(fmt.Sprint("New ", i), "")
			want[m.ID] = m.Title
		}
		d.change(stays, `{"title": "Moved"}`)
		d.cancel(goes)
		d.Settle()
		for range 60 {
			d.Advance(time.Minute)
		}
		if c := d.only(); c.Status != mirror.Connected || c.FailingSince == nil || c.Error == nil || *c.Error != "not_answering" || c.Pending != 22 {
			t.Errorf("the connection is %+v", c)
		}
		// Each try makes at most four requests, one per slot: at once, after 10 and 30
		// seconds, 1, 5, 15, 30 minutes.
		if asked := to.Asked(); len(asked) > 4*7 {
			t.Errorf("the server was asked %d times", len(asked))
		}
		to.Answer(nil)
		d.Advance(time.Hour)
		has(t, to, want)
		if c := d.only(); c.FailingSince != nil || c.Error != nil || c.Pending != 0 {
			t.Errorf("the connection is %+v", c)
		}
	})
}

// A server that refuses a meeting has answered, so that the calendar no longer counts as
// failing, also when it failed just before.
func TestARefusalEndsAFailure(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		to.Answer(caldavtest.Status(http.StatusBadGateway))
		d.plan("One", "")
		d.Settle()
		if c := d.only(); c.FailingSince == nil {
			t.Errorf("the connection is %+v", c)
		}
		to.Answer(caldavtest.Status(http.StatusBadRequest))
		d.Advance(time.Minute)
		if c := d.only(); c.FailingSince != nil || c.Status != mirror.Connected || c.Failed != 1 {
			t.Errorf("after the refusal, the connection is %+v", c)
		}
	})
}

// A server that says when to come back gets no requests until then, even when meetings
// change meanwhile.
func TestNoRequestIsSentDuringAPause(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		to.Answer(caldavtest.Status(http.StatusTooManyRequests, "Retry-After", "1800"))
		m := d.plan("One", "")
		d.Settle()
		to.Asked()
		to.Answer(nil)
		d.change(m, `{"title": "Two"}`)
		d.Advance(1799 * time.Second)
		d.change(m, `{"title": "Three"}`)
		d.Settle()
		if asked := to.Asked(); len(asked) > 0 {
			t.Errorf("too early it was asked %v", asked)
		}
		d.Advance(time.Second)
		has(t, to, map[string]string{m.ID: "Three"})
	})
}

// Somebody changes the event between our reading and our writing. Our entry replaces
// the change, with one more write.
func TestAnEventThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		m := d.plan("One", "")
		d.Settle()
		var once sync.Once
		to.Answer(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				once.Do(func() {
					theirs := strings.ReplaceAll(strings.ReplaceAll(to.Event(t, m.ID), "SUMMARY:One", "SUMMARY:Theirs"), "\n", "\r\n")
					to.Do(t, http.MethodPut, m.ID+".ics", theirs)
				})
			}
			to.Pass(w, r)
		})
		d.change(m, `{"title": "Two"}`)
		d.Settle()
		has(t, to, map[string]string{m.ID: "Two"})
	})
}

// When the access has ended, the connection shows it and no more requests are made.
// Nothing is lost: connecting again writes what changed meanwhile.
func TestNoRequestFollowsTheEndOfAnAccess(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		stays, goes := d.plan("Stays", ""), d.plan("Goes", "")
		d.Settle()
		to.Answer(caldavtest.Status(http.StatusUnauthorized))
		d.change(stays, `{"title": "Moved"}`)
		d.Settle()
		if c := d.only(); c.Status != mirror.Revoked || c.Error == nil || *c.Error != "access_ended" {
			t.Errorf("the connection is %+v", c)
		}
		to.Answer(nil)
		to.Asked()
		d.cancel(goes)
		fresh := d.plan("New", "")
		d.Advance(24 * time.Hour)
		if asked := to.Asked(); len(asked) > 0 {
			t.Errorf("the server was asked for %v", asked)
		}
		d.connect(to)
		has(t, to, map[string]string{stays.ID: "Moved", fresh.ID: "New"})
		if c := d.only(); c.Status != mirror.Connected || c.Pending != 0 || c.Error != nil {
			t.Errorf("the connection is %+v", c)
		}
	})
}

// After seven days of failures a calendar is given up, and the connection shows it.
func TestACalendarIsGivenUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		to.Answer(caldavtest.Status(http.StatusInternalServerError))
		m := d.ask(http.MethodPost, "/meetings", `{"title": "Late", "starts_at": "2026-12-23T10:00:00Z", "ends_at": "2026-12-23T11:00:00Z"}`)
		d.Settle()
		for range 7*24 - 1 {
			d.Advance(time.Hour)
		}
		if c := d.only(); c.Status != mirror.Connected {
			t.Errorf("too early the connection is %+v", c)
		}
		d.Advance(time.Hour)
		d.Advance(time.Hour)
		if c := d.only(); c.Status != mirror.Unreachable {
			t.Errorf("the connection is %+v", c)
		}
		to.Answer(nil)
		d.connect(to)
		has(t, to, map[string]string{m.ID: "Late"})
	})
}

// A calendar that had failed for so long that it was given up is disconnected. Its
// server is back, and fails once more; all entries are removed from it nevertheless.
func TestDisconnectingACalendarThatWasGivenUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		c := d.connect(to)
		going := d.plan("Going on", `, "recurrence": "daily"`)
		d.Settle()
		has(t, to, map[string]string{going.ID: "Going on"})
		to.Answer(caldavtest.Status(http.StatusBadGateway))
		d.change(going, `{"title": "Changed"}`)
		d.Settle()
		for range 8 * 4 {
			d.Advance(6 * time.Hour)
		}
		if c := d.only(); c.Status != mirror.Unreachable {
			t.Fatalf("the connection is %+v", c)
		}
		var once sync.Once
		to.Answer(func(w http.ResponseWriter, r *http.Request) {
			busy := false
			once.Do(func() { busy = true })
			if busy {
				caldavtest.Status(http.StatusBadGateway)(w, r)
				return
			}
			to.Pass(w, r)
		})
		if _, err := d.Calendars.Disconnect(t.Context(), d.account, c.ID); err != nil {
			t.Fatal(err)
		}
		d.Settle()
		for range 3 {
			d.Advance(time.Minute)
		}
		if rule := caldavtest.Line(to.Event(t, going.ID), "RRULE"); !strings.Contains(rule, "UNTIL=") {
			t.Errorf("the series goes on: %s", rule)
		}
		if n := d.Count("calendar_connection") + d.Count("calendar_mirror") + d.Count("job"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// A server has an error with one meeting only. The others are written without a pause,
// and the calendar is not given up, also when nothing else is written for a long time.
func TestAMeetingThatFailsDelaysNoOthers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		var bad atomic.Value
		bad.Store("none")
		to.Answer(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut && strings.Contains(r.URL.Path, bad.Load().(string)) {
				caldavtest.Status(http.StatusInternalServerError)(w, r)
				return
			}
			to.Pass(w, r)
		})
		refused := d.ask(http.MethodPost, "/meetings", `{"title": "One", "starts_at": "2026-12-23T10:00:00Z", "ends_at": "2026-12-23T11:00:00Z"}`)
		d.Settle()
		bad.Store(refused.ID)
		d.change(refused, `{"title": "Two"}`)
		d.Settle()
		good := d.plan("Good", "")
		d.Advance(10 * time.Second) // the first pause: nothing shows yet that other meetings succeed
		d.Advance(time.Minute)
		has(t, to, map[string]string{refused.ID: "One", good.ID: "Good"})
		d.change(good, `{"title": "Better"}`)
		d.Settle()
		has(t, to, map[string]string{refused.ID: "One", good.ID: "Better"})
		for range 8 * 4 {
			d.Advance(6 * time.Hour)
		}
		if c := d.only(); c.Status != mirror.Connected || c.Failed != 1 || c.Pending != 0 || c.FailingSince != nil {
			t.Errorf("the connection is %+v", c)
		}
		d.change(refused, `{"title": "Three"}`) // tried again, with nothing else to write
		d.Settle()
		for range 8 * 4 {
			d.Advance(6 * time.Hour)
		}
		if c := d.only(); c.Status != mirror.Connected || c.Failed != 1 || c.Pending != 0 || c.FailingSince != nil {
			t.Errorf("with nothing else to write, the connection is %+v", c)
		}
		bad.Store("none")
		d.change(refused, `{"title": "Four"}`)
		d.Settle()
		has(t, to, map[string]string{refused.ID: "Four", good.ID: "Better"})
	})
}

// A server that reads and writes nothing is given up, although it answers.
func TestAServerThatTakesNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		one := d.plan("One", `, "recurrence": "daily"`)
		d.Settle()
		to.Answer(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				caldavtest.Status(http.StatusInternalServerError)(w, r)
				return
			}
			to.Pass(w, r)
		})
		d.change(one, `{"title": "Changed"}`)
		d.plan("Two", `, "recurrence": "daily"`)
		d.Settle()
		for range 8 * 4 {
			if c := d.only(); c.Failed != 0 {
				t.Fatalf("a meeting counts as refused: %+v", c)
			}
			d.Advance(6 * time.Hour)
		}
		if c := d.only(); c.Status != mirror.Unreachable {
			t.Errorf("the connection is %+v", c)
		}
	})
}

// A process pauses in the middle of a write for so long that another one does the job
// with a newer state. When the old write arrives, it is replaced again.
func TestALateOldWriteIsReplaced(t *testing.T) {
	t.Parallel()
	d := newTestService(t, dbtest.Config(t, db.PostgreSQL))
	to := caldavtest.Start(t)
	d.connect(to)
	other := d.AnotherNode()
	m := d.plan("Old", "")
	held, release := make(chan struct{}), make(chan struct{})
	var second atomic.Bool
	to.Answer(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut && !second.Swap(true) {
			close(held)
			<-release
		}
		to.Pass(w, r)
	})
	var settled sync.WaitGroup
	settled.Go(func() {
		if err := d.Calendars.Jobs.Settle(t.Context()); err != nil {
			t.Error(err)
		}
	})
	<-held
	d.change(m, `{"title": "New"}`)
	d.Pass(7 * time.Second) // a lease is six
	other.Advance(7 * time.Second)
	has(t, to, map[string]string{m.ID: "New"})
	close(release)
	settled.Wait()
	d.Settle()
	has(t, to, map[string]string{m.ID: "New"})
	if c := d.only(); c.Pending != 0 {
		t.Errorf("the connection is %+v", c)
	}
}

// Two nodes share the work. Every meeting is written once.
func TestTwoNodesWriteEveryMeetingOnce(t *testing.T) {
	t.Parallel()
	d := newTestService(t, dbtest.Config(t, db.PostgreSQL))
	to := caldavtest.Start(t)
	d.connect(to)
	other := d.AnotherNode()
	want := map[string]string{}
	var meetings []api.Meeting
	for i := range 20 {
		m := d.plan(fmt.Sprint("Meeting ", i), "")
		want[m.ID], meetings = m.Title, append(meetings, m)
	}
	to.Asked()
	both := func() {
		var settled sync.WaitGroup
		settled.Go(d.Settle)
		settled.Go(other.Settle)
		settled.Wait()
	}
	both()
	d.Settle() // what one gave up to the other
	has(t, to, want)
	if n := caldavtest.Writes(to.Asked()); n != len(meetings) {
		t.Errorf("%d meetings took %d writes", len(meetings), n)
	}
	for _, m := range meetings {
		d.cancel(m)
	}
	both()
	d.Settle()
	has(t, to, nil)
}

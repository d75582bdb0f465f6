package mirror_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
)

// silent starts a server that reports each request on a channel, and answers 401 only
// after release is called.
func silent(t *testing.T) (address string, asked <-chan struct{}, release func()) {
	t.Helper()
	came, released := make(chan struct{}, 10), make(chan struct{})
	release = sync.OnceFunc(func() { close(released) })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the client may have gone
		came <- struct{}{}
		select {
		case <-released:
			w.WriteHeader(http.StatusUnauthorized)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { release(); s.Close() })
	return s.URL, came, release
}

// All requests to connect a server together take a limited time, which is shorter than
// the time that one answer may take.
func TestConnectingTakesLimitedTime(t *testing.T) {
	t.Parallel()
	address, asked, release := silent(t)
	client := outbound.New(outbound.Config{AllowPrivate: true, Timeout: time.Hour})
	t.Cleanup(client.Close)
	s := &mirror.Service{Client: client, Now: time.Now, Logger: slog.New(slog.DiscardHandler), ConnectWithin: time.Millisecond}
	stuck := time.AfterFunc(10*time.Second, release) // so that the test fails instead of hanging
	defer stuck.Stop()
	_, err := s.ConnectCalDAV(t.Context(), "ada", mirror.CalDAVRequest{URL: address, User: "ada", Password: "secret"})
	if f, ok := fault.As(err); !ok || f.Code != api.CodeCalendarUnreachable || f.Message != "The calendar server takes too long to answer. Try again later." {
		t.Errorf("a server that does not answer: %v", err)
	}
	if len(asked) > 1 {
		t.Errorf("the server was asked %d times", len(asked))
	}
}

// An account can connect two calendars at a time. A third is refused at once. Other
// accounts are not affected.
func TestTwoCalendarsAreConnectedAtATime(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := newTestService(t, where)
		if _, err := d.Identity.AddMember(t.Context(), d.workspace, "bob@acme.example", "member"); err != nil {
			t.Fatal(err)
		}
		ada, bob := d.signIn(owner), d.signIn("bob@acme.example")
		address, asked, release := silent(t)
		body := `{"url": "` + address + `", "username": "ada", "password": "secret"}`
		var all sync.WaitGroup
		hold := func(cookie string) {
			all.Go(func() {
				if a := d.as(cookie, http.MethodPost, "/calendars/caldav", body); a.Code() != api.CodeParameterInvalid {
					t.Errorf("a refused password: %d %s", a.Status, a.Body)
				}
			})
			<-asked
		}
		hold(ada)
		hold(ada)
		if a := d.as(ada, http.MethodPost, "/calendars/caldav", body); a.Code() != api.CodeRateLimited || a.Header.Get("Retry-After") != "5" {
			t.Errorf("the third at a time: %d %s", a.Status, a.Body)
		}
		hold(bob)
		release()
		all.Wait()
		hold(ada)
		all.Wait()
	})
}

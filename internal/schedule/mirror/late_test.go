package mirror_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/schedule/caldavtest"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar/calendartest"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
)

// meanwhile calls the function happens while the next request that writes an event is
// under way, and then answers this request with a status.
func meanwhile(to *caldavtest.Server, status int, happens func()) {
	var once sync.Once
	to.Answer(func(w http.ResponseWriter, r *http.Request) {
		late := false
		if r.Method == http.MethodGet {
			once.Do(func() {
				late = true
				happens()
			})
		}
		if late {
			w.WriteHeader(status)
			return
		}
		to.Pass(w, r)
	})
}

// hold runs the jobs that are due. It calls the function happens while the next request
// with a method is under way, and lets the request be answered afterwards.
func (d *testService) hold(to *caldavtest.Server, method string, happens func()) {
	d.t.Helper()
	held, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	to.Answer(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == method {
			once.Do(func() {
				close(held)
				<-release
			})
		}
		to.Pass(w, r)
	})
	var settled sync.WaitGroup
	settled.Go(func() {
		if err := d.Calendars.Jobs.Settle(d.t.Context()); err != nil {
			d.t.Error(err)
		}
	})
	<-held
	happens()
	close(release)
	settled.Wait()
	d.Settle()
}

// reconnect connects the owner's calendar again without running any job.
func (d *testService) reconnect(to *caldavtest.Server) {
	d.t.Helper()
	_, err := d.Calendars.ConnectCalDAV(d.t.Context(), d.account, mirror.CalDAVRequest{URL: to.URL, User: caldavtest.User, Password: caldavtest.Password})
	if err != nil {
		d.t.Error(err)
	}
}

// An answer to a request with old credentials says nothing about the new ones. The
// connection stays connected, and the meeting is written at once.
func TestALateAnswerToOldCredentials(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"refused": http.StatusUnauthorized, "failed": http.StatusInternalServerError} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, d *testService) {
				to := caldavtest.Start(t)
				d.connect(to)
				m := d.plan("Review", "")
				meanwhile(to, status, func() { d.reconnect(to) })
				d.Settle()
				if c := d.only(); c.Status != mirror.Connected || c.FailingSince != nil || c.Error != nil || c.Pending != 0 {
					t.Errorf("the connection is %+v", c)
				}
				has(t, to, map[string]string{m.ID: "Review"})
			})
		})
	}
}

// A provider that refuses even a token it has just renewed has ended the access. The
// connection is revoked, although its stored credentials have just changed.
func TestARenewedAccessIsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		d.offer(mirror.Google, calendartest.NewGoogle(t, owner))
		d.consent(mirror.Google, owner)
		var requests atomic.Int32
		refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if requests.Add(1) > 20 { // ends a failing test
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			w.WriteHeader(http.StatusUnauthorized)
		}))
		t.Cleanup(refusing.Close)
		d.Calendars.Providers.Google.Base = refusing.URL
		d.plan("Review", "")
		d.Settle()
		if c := d.only(); c.Status != mirror.Revoked || requests.Load() != 2 {
			t.Errorf("after %d requests the connection is %+v", requests.Load(), c)
		}
	})
}

// A calendar that is connected again while its last entry is being removed stays
// connected, even when that request, with the old credentials, is refused.
func TestConnectingAgainWhileEntriesAreRemoved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		c := d.connect(to)
		m := d.plan("Review", "")
		d.Settle()
		if _, err := d.Calendars.Disconnect(t.Context(), d.account, c.ID); err != nil {
			t.Fatal(err)
		}
		meanwhile(to, http.StatusUnauthorized, func() { d.reconnect(to) })
		d.change(m, `{"title": "Moved"}`)
		d.Settle()
		if c := d.only(); c.Status != mirror.Connected || c.Pending != 0 {
			t.Errorf("the connection is %+v", c)
		}
		has(t, to, map[string]string{m.ID: "Moved"})
	})
}

// reconnectMeanwhile connects the calendar again when the time is asked for next.
func (d *testService) reconnectMeanwhile(to *caldavtest.Server) {
	now := d.Calendars.Now
	var again atomic.Bool
	d.Calendars.Now = func() time.Time {
		if !again.Swap(true) {
			d.reconnect(to)
		}
		return now()
	}
}

// A calendar that is connected again just before its connection is deleted stays
// connected, and its meetings are written.
func TestConnectingAgainBeforeTheConnectionIsDeleted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		c := d.connect(to)
		if _, err := d.Calendars.Disconnect(t.Context(), d.account, c.ID); err != nil {
			t.Fatal(err)
		}
		m := d.plan("Review", "")
		// The job asks for the time when it has read the connection.
		d.reconnectMeanwhile(to)
		d.Settle()
		if c := d.only(); c.Status != mirror.Connected || c.Pending != 0 {
			t.Errorf("the connection is %+v", c)
		}
		has(t, to, map[string]string{m.ID: "Review"})
	})
}

// A calendar is connected again while its last entry is being removed, and another node
// fills it before that request is answered. The entry is written again.
func TestConnectingAgainBeforeAnEntryIsRemoved(t *testing.T) {
	t.Parallel()
	d := newTestService(t, dbtest.Config(t, db.PostgreSQL))
	to := caldavtest.Start(t)
	c := d.connect(to)
	other := d.AnotherNode()
	m := d.plan("Review", "")
	d.Settle()
	if _, err := d.Calendars.Disconnect(t.Context(), d.account, c.ID); err != nil {
		t.Fatal(err)
	}
	d.hold(to, http.MethodDelete, func() {
		d.reconnect(to)
		other.Settle()
	})
	has(t, to, map[string]string{m.ID: "Review"})
	if c := d.only(); c.Pending != 0 {
		t.Errorf("the connection is %+v", c)
	}
}

// A calendar that is connected again while a job checks what is left in it is filled at
// once, and not only at the next check.
func TestConnectingAgainWhileTheRestIsChecked(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		c := d.connect(to)
		before := d.plan("Before", "")
		d.Settle()
		if _, err := d.Calendars.Disconnect(t.Context(), d.account, c.ID); err != nil {
			t.Fatal(err)
		}
		meanwhile := d.plan("Meanwhile", "")
		// The job asks for the time when it has read that the calendar is leaving.
		d.reconnectMeanwhile(to)
		d.Settle()
		has(t, to, map[string]string{before.ID: "Before", meanwhile.ID: "Meanwhile"})
	})
}

// A server may return a version of an event that a database cannot store. The meeting is
// still written, changed and removed like any other.
func TestAMeetingIsWrittenThoughItsVersionCannotBeStored(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		to.Answer(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				w = strangeVersion{w}
			}
			to.Pass(w, r)
		})
		m := d.plan("Review", "")
		d.Settle()
		d.change(m, `{"title": "Moved"}`)
		d.Settle()
		has(t, to, map[string]string{m.ID: "Moved"})
		if c := d.only(); c.Pending != 0 || c.Failed != 0 {
			t.Errorf("the connection is %+v", c)
		}
		d.cancel(m)
		d.Settle()
		has(t, to, nil)
	})
}

// strangeVersion adds an ETag that is not UTF-8 to an answer.
type strangeVersion struct{ http.ResponseWriter }

func (w strangeVersion) WriteHeader(status int) {
	w.Header().Set("ETag", "\"\xff\xfe\"")
	w.ResponseWriter.WriteHeader(status)
}

// A process loses its job while it writes an entry. The entry is written once more. If
// the connection was deleted, no row is left behind.
func TestAnEntryIsWrittenAgainWhenItsJobIsLost(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]bool{"a connection that stays": false, "a connection that is gone": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, d *testService) {
				to := caldavtest.Start(t)
				c := d.connect(to)
				m := d.plan("Review", "")
				meanwhile(to, http.StatusInternalServerError, func() { d.take(c.ID, gone) })
				d.Settle()
				if gone {
					if n := d.Count("calendar_mirror") + d.Count("job"); n != 0 {
						t.Errorf("%d rows are left of a connection that is gone", n)
					}
					return
				}
				has(t, to, map[string]string{m.ID: "Review"})
			})
		})
	}
}

// take takes the jobs of a connection from this process, and deletes the
// connection when gone is true.
func (d *testService) take(connectionID string, gone bool) {
	d.t.Helper()
	ctx := d.t.Context()
	err := d.DB().Write(ctx, func(tx *db.Tx) error {
		_, err := d.Calendars.Jobs.Drop(ctx, tx, connectionID, 10)
		if err == nil && gone {
			_, err = tx.Exec(ctx, `DELETE FROM calendar_mirror WHERE connection_id = $1`, connectionID)
		}
		if err == nil && gone {
			_, err = tx.Exec(ctx, `DELETE FROM calendar_connection WHERE id = $1`, connectionID)
		}
		return err //nolint:wrapcheck // the test says what failed
	})
	if err != nil {
		d.t.Error(err)
	}
}

package mirror_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/schedule/caldavtest"
)

// When a room with many meetings is deleted, the request does not visit them. Their
// entries still lose their links: each is written once. Entries of meetings in other
// rooms are not written.
func TestARoomWithManyMeetingsIsDeleted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		room := d.ask(http.MethodPost, "/rooms", `{"name": "Weekly"}`)
		var here []string
		for i := range 20 {
			here = append(here, d.plan(fmt.Sprint("Meeting ", i), `, "room_id": "`+room.ID+`"`).ID)
		}
		gone := d.plan("Cancelled", `, "room_id": "`+room.ID+`"`)
		d.plan("Elsewhere", "")
		d.Settle()
		d.cancel(gone)
		d.Settle()
		to.Asked()
		d.ask(http.MethodDelete, "/rooms/"+room.ID, "")
		if n := d.Count("job"); n != 1 {
			t.Errorf("the request queued %d jobs", n)
		}
		d.Settle()
		if n := caldavtest.Writes(to.Asked()); n != len(here) {
			t.Errorf("%d meetings took %d writes", len(here), n)
		}
		for _, id := range here {
			if event := to.Event(t, id); event == "" || caldavtest.Line(event, "URL") != "" {
				t.Errorf("the entry is %q", event)
			}
		}
		if c := d.only(); c.Pending != 0 || c.Failed != 0 {
			t.Errorf("the connection is %+v", c)
		}
	})
}

// A room is deleted while an entry with its link is being written for the first time,
// and another node checks the calendar meanwhile. The link is removed all the same.
func TestARoomIsDeletedWhileAnEntryIsWritten(t *testing.T) {
	t.Parallel()
	d := newTestService(t, dbtest.Config(t, db.PostgreSQL))
	to := caldavtest.Start(t)
	d.connect(to)
	other := d.AnotherNode()
	room := d.ask(http.MethodPost, "/rooms", `{"name": "Weekly"}`)
	m := d.plan("Review", `, "room_id": "`+room.ID+`"`)
	d.hold(to, http.MethodPut, func() {
		d.ask(http.MethodDelete, "/rooms/"+room.ID, "")
		other.Settle()
	})
	if event := to.Event(t, m.ID); event == "" || caldavtest.Line(event, "URL") != "" {
		t.Errorf("the entry is %q", event)
	}
}

// A meeting that the calendar refused is tried again when its room is deleted, but not
// when the calendar is filled for another reason.
func TestARefusedMeetingLosesItsRoom(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := caldavtest.Start(t)
		d.connect(to)
		room := d.ask(http.MethodPost, "/rooms", `{"name": "Weekly"}`)
		m := d.plan("Review", `, "room_id": "`+room.ID+`"`)
		to.Answer(caldavtest.Status(http.StatusBadRequest))
		d.Settle()
		if c := d.only(); c.Failed != 1 {
			t.Fatalf("the connection is %+v", c)
		}
		to.Answer(nil)
		other := d.ask(http.MethodPost, "/rooms", `{"name": "Other"}`)
		second := d.plan("Other", `, "room_id": "`+other.ID+`"`)
		d.Settle()
		d.ask(http.MethodDelete, "/rooms/"+other.ID, "")
		d.Settle()
		has(t, to, map[string]string{second.ID: "Other"})
		d.ask(http.MethodDelete, "/rooms/"+room.ID, "")
		d.Settle()
		has(t, to, map[string]string{m.ID: "Review", second.ID: "Other"})
	})
}

// BenchmarkRoomDeleted measures the request that deletes a room with 10,000
// scheduled meetings, all of which are in 10 connected calendars. The jobs that
// bring the calendars up to date are not part of it.
func BenchmarkRoomDeleted(b *testing.B) {
	const meetings, calendars = 10_000, 10
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			d := newTestService(b, dbtest.Config(b, engine))
			for range calendars {
				d.pretend()
			}
			for b.Loop() {
				b.StopTimer()
				room := d.fill(meetings)
				b.StartTimer()
				d.ask(http.MethodDelete, "/rooms/"+room, "")
			}
		})
	}
}

// pretend adds a connection to a calendar that does not exist.
func (d *testService) pretend() {
	d.t.Helper()
	d.write(`INSERT INTO calendar_connection (id, account_id, provider, target, name, credentials, status, status_at, failures, asked, filled, created_at)
		SELECT 'calendar-' || COUNT(*), $1, 'caldav', 'calendar-' || COUNT(*), 'Work', '', 'connected', 0, 0, 1, 1, 0 FROM calendar_connection`, d.account)
}

// fill makes a room with n meetings that are in every connected calendar.
func (d *testService) fill(n int) (roomID string) {
	d.t.Helper()
	room := d.ask(http.MethodPost, "/rooms", `{"name": "Weekly"}`)
	d.write(`INSERT INTO scheduled_meeting (id, workspace_id, title, starts_at, ends_at, room_id, recurrence, created_by, created_at, updated_at, revision)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS BIGINT))
		SELECT $2 || '-' || i, $3, 'Meeting', 4000000000000, 4000003600000, $2, 'none', $4, 0, 0, 0 FROM n`, n, room.ID, d.workspace, d.account)
	d.write(`INSERT INTO calendar_mirror (id, connection_id, meeting_id, workspace_id, wanted, done, sequence, failures)
		SELECT m.id || '/' || c.id, c.id, m.id, m.workspace_id, 1, 1, 0, 0 FROM scheduled_meeting m, calendar_connection c WHERE m.room_id = $1`, room.ID)
	return room.ID
}

func (d *testService) write(query string, args ...any) {
	d.t.Helper()
	err := d.DB().Write(d.t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(d.t.Context(), query, args...)
		return err //nolint:wrapcheck // wrapped below
	})
	if err != nil {
		d.t.Fatal(fmt.Errorf("prepare the test: %w", err))
	}
}

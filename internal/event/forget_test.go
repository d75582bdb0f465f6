package event_test

import (
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/event"
)

// Old events are deleted 500 at a time, the oldest first, so that other writers do not
// wait for all of them.
func TestOldEventsAreDeletedInSteps(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWriter(t, d)
		numbers := make([]int, 1100)
		for i := range numbers {
			numbers[i] = i
		}
		w.append(0, "acme", "room.created", numbers...)
		w.append(time.Hour, "acme", "room.created", 1100)
		w.now = start.Add(30*24*time.Hour + time.Minute)
		s := &event.Service{DB: d, Log: w.log, Logger: slog.New(slog.DiscardHandler)}
		left := func() string { return dbtest.Text(t, d, `SELECT CAST(count(*) AS TEXT) FROM event`) }

		stuck := dbtest.Text(t, d, `SELECT id FROM event ORDER BY created_at, id LIMIT 1 OFFSET 700`)
		free := dbtest.Stick(t, d, "event", "id", stuck)
		if err := s.Forget(t.Context()); err == nil || left() != strconv.Itoa(1101-500) {
			t.Errorf("while one event cannot be deleted, %s are left (%v), want those of its step and after it", left(), err)
		}
		free()
		if err := s.Forget(t.Context()); err != nil || left() != "1" {
			t.Errorf("%s are left (%v), want the one of the last thirty days", left(), err)
		}
	})
}

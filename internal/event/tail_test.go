package event_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/event"
)

// start is the time at which the tests' events begin.
var start = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// writer appends events at given times.
type writer struct {
	t   *testing.T
	db  *db.DB
	now time.Time
	log *event.Log
}

func newWriter(t *testing.T, d *db.DB) *writer {
	w := &writer{t: t, db: d, now: start}
	w.log = &event.Log{Now: func() time.Time { return w.now }}
	return w
}

// append writes events of a type, each with its number as data.
func (w *writer) append(at time.Duration, workspace string, kind api.EventType, numbers ...int) {
	w.t.Helper()
	w.now = start.Add(at)
	err := w.db.Write(w.t.Context(), func(tx *db.Tx) error {
		for _, n := range numbers {
			if err := w.log.Append(w.t.Context(), tx, workspace, kind, n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// next is the data of the events that a tail returns next.
func (w *writer) next(tail *event.Tail) string {
	w.t.Helper()
	text := ""
	err := w.db.Read(w.t.Context(), func(tx *db.Tx) error {
		events, err := tail.Next(w.t.Context(), tx)
		for _, e := range events {
			text += string(e.Data) + " "
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

func (w *writer) want(tail *event.Tail, want string) {
	w.t.Helper()
	if got := w.next(tail); got != want {
		w.t.Errorf("the next events are %q, want %q", got, want)
	}
}

// Every event is returned once, even one that appears up to ten seconds after
// events that happened later.
func TestTail(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWriter(t, d)
		tail := &event.Tail{Log: w.log}
		w.want(tail, "")
		w.append(0, "acme", api.EventRoomCreated, 1, 2)
		w.want(tail, "1 2 ")
		w.want(tail, "")
		w.append(20*time.Second, "acme", api.EventRoomCreated, 5)
		w.want(tail, "5 ")
		w.append(15*time.Second, "acme", api.EventRoomCreated, 4)
		w.append(21*time.Second, "acme", api.EventRoomCreated, 6)
		w.want(tail, "4 6 ")
		w.append(11*time.Second, "acme", api.EventRoomCreated, 3) // exactly ten seconds before the newest
		w.want(tail, "3 ")
		w.append(11*time.Second-time.Millisecond, "acme", api.EventRoomCreated, 0)
		w.want(tail, "")
	})
}

// A clock that is set back hides nothing that happened before.
func TestTailReturnsWhatHappenedBeforeAClockWasSetBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWriter(t, d)
		tail := &event.Tail{Log: w.log}
		w.append(time.Hour, "acme", api.EventRoomCreated, 1)
		w.want(tail, "1 ")
		w.append(time.Hour+time.Second, "acme", api.EventRoomCreated, 2)
		w.now = start
		w.want(tail, "2 ")
		w.want(tail, "")
	})
}

func TestTailFilters(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWriter(t, d)
		w.append(0, "acme", api.EventRoomCreated, 1)
		from := &event.Tail{Log: w.log, Filter: event.Filter{After: event.Event{CreatedAt: start.Add(time.Second)}}}
		typed := &event.Tail{Log: w.log, Filter: event.Filter{WorkspaceID: "acme", Type: api.EventRoomDeleted}}
		w.append(time.Second, "acme", api.EventRoomCreated, 2)
		w.append(2*time.Second, "acme", api.EventRoomDeleted, 3)
		w.append(3*time.Second, "other", api.EventRoomDeleted, 4)
		w.want(from, "2 3 4 ")
		w.want(typed, "3 ")
		// Older events than the newest that a tail has returned, but before its
		// beginning, are not returned.
		w.append(500*time.Millisecond, "acme", api.EventRoomDeleted, 5)
		w.want(from, "")
		w.want(typed, "5 ")
	})
}

// More events than one query reads, many of them at the same moment.
func TestTailReadsEverything(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWriter(t, d)
		tail, want := &event.Tail{Log: w.log}, ""
		for batch := range 3 {
			numbers := make([]int, 500)
			for i := range numbers {
				numbers[i] = batch*500 + i
				want += fmt.Sprintf("%d ", numbers[i])
			}
			w.append(time.Duration(batch/2)*time.Second, "acme", api.EventRoomCreated, numbers...)
		}
		w.want(tail, want)
		w.want(tail, "")
	})
}

// List goes page by page along the order of the log.
func TestListPages(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWriter(t, d)
		w.append(0, "acme", api.EventRoomCreated, 1, 2, 3)
		w.append(0, "other", api.EventRoomCreated, 4)
		w.append(time.Second, "acme", api.EventRoomDeleted, 5)
		for _, c := range []struct {
			filter event.Filter
			want   string
		}{
			{event.Filter{Limit: 2}, "1 2 | 3 4 | 5 | "},
			{event.Filter{Limit: 2, WorkspaceID: "acme"}, "1 2 | 3 5 | "},
			{event.Filter{Limit: 2, Type: api.EventRoomCreated}, "1 2 | 3 4 | "},
			{event.Filter{Limit: 1, WorkspaceID: "acme", Type: api.EventRoomDeleted}, "5 | "},
			{event.Filter{WorkspaceID: "nobody"}, ""},
		} {
			if got := pages(t, d, w.log, c.filter); got != c.want {
				t.Errorf("the pages of %+v are %q, want %q", c.filter, got, c.want)
			}
		}
	})
}

func pages(t *testing.T, d *db.DB, log *event.Log, f event.Filter) (text string) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		for {
			events, err := list(t.Context(), tx, log, &f)
			if err != nil || len(events) == 0 {
				return err
			}
			for _, e := range events {
				text += string(e.Data) + " "
			}
			text += "| "
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// list reads a page and moves the filter to the next one.
func list(ctx context.Context, tx *db.Tx, log *event.Log, f *event.Filter) ([]event.Event, error) {
	events, err := log.List(ctx, tx, *f)
	if len(events) > 0 {
		f.After = events[len(events)-1]
	}
	return events, err
}

package event

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// overlap is how far a Tail looks back before the newest event it has seen. An
// event gets its time before its transaction is committed, so of two events at
// about the same time the earlier one may appear later; and the clocks of nodes
// differ.
const overlap = 10 * time.Second

// mostApart is how far two clocks may be apart, or one may go back, before a Tail takes
// one of them to have been wrong.
const mostApart = 2 * overlap

// page is how many events one query of a Tail reads.
const page = 500

// Tail follows the log: each call of Next returns the events that have appeared
// since the call before. Only one goroutine may use it.
type Tail struct {
	Log *Log
	// Filter selects the events; its After says where to begin.
	Filter Filter

	asked  time.Time            // when Next was last called
	newest time.Time            // of the returned events, except for those of the future
	told   map[string]time.Time // events within the overlap that were already returned
}

// Next reads the new events, in the order in which they happened as far as that
// is known.
func (t *Tail) Next(ctx context.Context, tx *db.Tx) ([]Event, error) {
	now := t.Log.Now()
	if now.Before(t.asked.Add(-mostApart)) {
		if err := t.goBack(ctx, tx, now); err != nil {
			return nil, err
		}
	}
	t.asked = now
	from := t.Filter.After
	if at := t.newest.Add(-overlap); at.After(from.CreatedAt) {
		from = Event{CreatedAt: at}
	}
	fresh, err := t.since(ctx, tx, from)
	if err != nil {
		return nil, err
	}
	t.remember(fresh)
	return fresh, nil
}

// goBack follows a clock that was set back. Events with later times than the present one
// were there before.
func (t *Tail) goBack(ctx context.Context, tx *db.Tx, now time.Time) error {
	before, err := t.since(ctx, tx, Event{CreatedAt: now.Add(time.Millisecond)})
	if err != nil {
		return err
	}
	t.asked, t.newest = now, time.Time{}
	t.remember(before)
	t.Filter.After = Event{CreatedAt: now.Add(-time.Second)} // the clock was set since the call before, a moment ago
	return nil
}

// since reads the events after one that were not returned before.
func (t *Tail) since(ctx context.Context, tx *db.Tx, after Event) ([]Event, error) {
	f := t.Filter
	f.After, f.Limit = after, page
	var fresh []Event
	for {
		events, err := t.Log.List(ctx, tx, f)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if _, told := t.told[e.ID]; !told {
				fresh = append(fresh, e)
			}
		}
		if len(events) < page {
			return fresh, nil
		}
		f.After = events[len(events)-1]
	}
}

// remember keeps the returned events that the next call would find again.
func (t *Tail) remember(events []Event) {
	if t.told == nil {
		t.told = map[string]time.Time{}
	}
	for _, e := range events {
		t.told[e.ID] = e.CreatedAt
		if e.CreatedAt.After(t.newest) && e.CreatedAt.Before(t.asked.Add(mostApart)) {
			t.newest = e.CreatedAt
		}
	}
	for id, at := range t.told {
		if at.Before(t.newest.Add(-overlap)) {
			delete(t.told, id)
		}
	}
}

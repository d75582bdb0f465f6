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

// page is how many events one query of a Tail reads.
const page = 500

// Tail follows the log: each call of Next returns the events that have appeared
// since the call before. Only one goroutine may use it.
type Tail struct {
	Log *Log
	// Filter selects the events; its After says where to begin.
	Filter Filter

	newest time.Time
	told   map[string]time.Time // events within the overlap that were already returned
}

// Next reads the new events, in the order in which they happened as far as that
// is known.
func (t *Tail) Next(ctx context.Context, tx *db.Tx) ([]Event, error) {
	f := t.Filter
	f.Limit = page
	if from := t.newest.Add(-overlap); from.After(f.After.CreatedAt) {
		f.After = Event{CreatedAt: from}
	}
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
			break
		}
		f.After = events[len(events)-1]
	}
	t.remember(fresh)
	return fresh, nil
}

// remember keeps the returned events that the next call would find again.
func (t *Tail) remember(events []Event) {
	if t.told == nil {
		t.told = map[string]time.Time{}
	}
	for _, e := range events {
		t.told[e.ID] = e.CreatedAt
		if e.CreatedAt.After(t.newest) {
			t.newest = e.CreatedAt
		}
	}
	for id, at := range t.told {
		if at.Before(t.newest.Add(-overlap)) {
			delete(t.told, id)
		}
	}
}

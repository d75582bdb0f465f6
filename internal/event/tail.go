package event

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// overlap is how far a Tail looks back behind the newest event it has seen. An
// event gets its time before its transaction is committed, so of two that are
// written at once the earlier one may appear later; and nodes' clocks differ.
const overlap = 10 * time.Second

// page is how many events one query of a Tail reads.
const page = 500

// Tail follows the log: each call of Next gives the events that have appeared
// since the call before. It belongs to one goroutine.
type Tail struct {
	Log *Log
	// Filter says which events, and in After where to begin.
	Filter Filter

	newest time.Time
	told   map[string]time.Time // the events within the overlap that were told
}

// Next reads what is new, in the order in which it happened as far as that is
// known by now.
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

// remember keeps the told events that another Next would find again.
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

// Package limit counts how often something may happen in a time.
//
// A Limiter is asked before each request: may this subject (a key, an address,
// a room) have one more? Memory answers for one node, SQL for several that
// share a PostgreSQL database; both apply the same rule, window.take, and pass
// the same suite (limittest).
//
// The window slides: at no moment do more than Count requests lie within the
// last Window. It is counted in slices of a twentieth of the window, and a
// slice counts until all of it has left the window, so a subject at its limit
// waits up to a twentieth longer than strictly needed. For that it is twenty
// numbers per subject instead of one time per request.
package limit

import (
	"context"
	"time"
)

// Quota is how many requests lie within any stretch of time.
type Quota struct {
	Count  int
	Window time.Duration
}

// Decision is the answer to one request.
type Decision struct {
	Allowed   bool
	Remaining int           // how many more would be allowed right now
	Reset     time.Duration // until at least one more will be
}

// Limiter counts requests.
type Limiter interface {
	// Take counts one request of a subject, unless its quota is used up.
	// Refused requests are not counted: whoever waits gets through.
	Take(ctx context.Context, subject string, q Quota) (Decision, error)
	// Sweep forgets subjects whose requests have all left their windows.
	Sweep(ctx context.Context) error
}

// slices is how many slices make a window.
const slices = 20

// window is what is remembered of one subject: the requests in each slice,
// from the slice number first on.
type window struct {
	First  int64 `json:"f"`
	Counts []int `json:"c"`
}

// take applies the rule at a moment and says whether the window changed.
func (w *window) take(q Quota, now time.Time) Decision {
	width := max(q.Window/slices, 1)
	current := now.UnixNano() / int64(width)
	w.forget(current)
	used := 0
	for _, n := range w.Counts {
		used += n
	}
	allowed := used < q.Count
	if allowed {
		used++
		w.count(current)
	}
	// The oldest slice leaves when a whole window has passed since its end.
	left := time.Unix(0, (w.First+slices+1)*int64(width)).Sub(now)
	return Decision{Allowed: allowed, Remaining: q.Count - used, Reset: max(left, 0)}
}

// forget drops the slices that have left the window, and leading empty ones.
func (w *window) forget(current int64) {
	for len(w.Counts) > 0 && (w.First < current-slices || w.Counts[0] == 0) {
		w.Counts = w.Counts[1:]
		w.First++
	}
	if len(w.Counts) == 0 {
		w.First = current
	}
}

// count adds one request to the current slice. Should the clock have gone
// back (or another node's be behind), it goes to the newest slice there is.
func (w *window) count(current int64) {
	for w.First+int64(len(w.Counts)) <= current {
		w.Counts = append(w.Counts, 0)
	}
	w.Counts[len(w.Counts)-1]++
}

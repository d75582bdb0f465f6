// Package limit counts how often something may happen in a time.
//
// A Limiter is asked before each request: may this subject (a key, an address,
// a room) have one more? Memory answers for one node, SQL for several that
// share a PostgreSQL database; both apply the same rule, window.take, and pass
// the same suite (limittest).
//
// The window slides: at no moment do more than Count requests lie within the
// last Window. Requests that come shortly after each other are remembered
// together, as one slice of up to a twentieth of the window, and count until
// the last of them has left the window. So a subject at its limit waits up to
// a twentieth longer than strictly needed, and for that it is about twenty
// numbers that are remembered instead of hundreds of times.
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
	// Look says what Take would, and counts nothing.
	Look(ctx context.Context, subject string, q Quota) (Decision, error)
	// Sweep forgets subjects whose requests have all left their windows.
	Sweep(ctx context.Context) error
}

// slices is into how many slices a window is cut.
const slices = 20

// window is what is remembered of one subject: its requests of lately, in
// slices, oldest first.
type window []slice

// slice is requests that came shortly after each other: N of them, from First
// to Last (Unix time in nanoseconds).
type slice struct {
	First int64 `json:"f"`
	Last  int64 `json:"l"`
	N     int   `json:"n"`
}

// take applies the rule at a moment.
func (w *window) take(q Quota, at time.Time) Decision {
	d := w.look(q, at)
	if d.Allowed {
		w.count(at.UnixNano(), int64(q.Window/slices))
		d = w.look(q, at)
		d.Allowed = true // this one was, if perhaps the last
	}
	return d
}

// look is the rule without the request.
func (w *window) look(q Quota, at time.Time) Decision {
	now := at.UnixNano()
	for len(*w) > 0 && (*w)[0].Last <= now-int64(q.Window) {
		*w = (*w)[1:]
	}
	used := 0
	for _, s := range *w {
		used += s.N
	}
	d := Decision{Allowed: used < q.Count, Remaining: max(q.Count-used, 0)}
	if len(*w) > 0 {
		d.Reset = time.Duration((*w)[0].Last + int64(q.Window) - now)
	}
	return d
}

// count adds one request to the newest slice while that is not too wide, also
// when the clock has gone back (or another node's is behind).
func (w *window) count(now, width int64) {
	if n := len(*w); n > 0 && now < (*w)[n-1].First+width {
		newest := &(*w)[n-1]
		newest.N++
		newest.Last = max(newest.Last, now)
		return
	}
	*w = append(*w, slice{First: now, Last: now, N: 1})
}

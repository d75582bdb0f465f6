package limit

import (
	"context"
	"time"
)

// Quota is how many requests may lie within any window of time.
type Quota struct {
	Count  int
	Window time.Duration
}

// Decision is the answer to one request.
type Decision struct {
	Allowed   bool
	Remaining int           // how many more are allowed now
	Reset     time.Duration // time until at least one more is
}

// Limiter counts requests.
type Limiter interface {
	// Take counts a request of a subject, unless its quota is used up. The request
	// counts as n, at least 1: a large one may go beyond the quota, and the subject
	// then waits the longer. Refused requests are not counted, so waiting always helps.
	Take(ctx context.Context, subject string, q Quota, n int) (Decision, error)
	// Look returns what Take would, and counts nothing.
	Look(ctx context.Context, subject string, q Quota) (Decision, error)
	// Sweep removes subjects whose requests have all left their windows.
	Sweep(ctx context.Context) error
}

// slices is the number of slices in a window.
const slices = 20

// window is what is stored for one subject: its recent requests in slices,
// oldest first.
type window []slice

// slice is N requests shortly after each other, from First to Last (Unix time
// in nanoseconds).
type slice struct {
	First int64 `json:"f"`
	Last  int64 `json:"l"`
	N     int   `json:"n"`
}

// take applies the rule at one moment.
func (w *window) take(q Quota, n int, at time.Time) Decision {
	d := w.look(q, at)
	if d.Allowed {
		w.count(n, at.UnixNano(), int64(q.Window/slices))
		d = w.look(q, at)
		d.Allowed = true // this request is allowed, though perhaps no further one
	}
	return d
}

// look is the rule without counting a request.
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
	for _, s := range *w { // more than the oldest when a request went beyond the quota
		d.Reset = max(d.Reset, time.Duration(s.Last+int64(q.Window)-now))
		if used -= s.N; used < q.Count {
			break
		}
	}
	return d
}

// count adds a request that counts as n to the newest slice while that one is not too
// wide, even when the clock has gone back (or is behind another node's).
func (w *window) count(n int, now, width int64) {
	if last := len(*w) - 1; last >= 0 && now < (*w)[last].First+width {
		newest := &(*w)[last]
		newest.N += n
		newest.Last = max(newest.Last, now)
		return
	}
	*w = append(*w, slice{First: now, Last: now, N: n})
}

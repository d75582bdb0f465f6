package limit

import (
	"maps"
	"sync"
	"time"
)

// mostRefused bounds how many refused subjects a node remembers. The database
// refuses further ones.
const mostRefused = 20_000

// local keeps the requests of one subject from taking all connections to the
// database: a node remembers which subjects are beyond a limit, and sends at
// most one query at a time for each subject.
type local struct {
	turns *Turns

	mu      sync.Mutex
	refused map[string]time.Time // until when
}

func newLocal() *local {
	return &local{refused: map[string]time.Time{}, turns: NewTurns(1)}
}

// look returns the refusal of a subject that is known to be beyond its limit:
// no node allows it anything before its reset.
func (l *local) look(subject string, now time.Time) (d Decision, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	until, known := l.refused[subject]
	if !known || !now.Before(until) {
		return Decision{}, false
	}
	return Decision{Reset: until.Sub(now)}, true
}

// refuse remembers a refusal.
func (l *local) refuse(subject string, until, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.refused) >= mostRefused {
		l.forget(now)
	}
	if len(l.refused) < mostRefused {
		l.refused[subject] = until
	}
}

// sweep removes the refusals that have ended.
func (l *local) sweep(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(now)
}

func (l *local) forget(now time.Time) {
	maps.DeleteFunc(l.refused, func(_ string, until time.Time) bool { return !now.Before(until) })
}

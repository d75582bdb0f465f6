package limit

import (
	"maps"
	"sync"
	"time"
)

// mostRefused bounds how many refused subjects a node remembers. Those beyond
// are refused all the same, by the database.
const mostRefused = 20_000

// local is what keeps the requests of one subject from taking all connections
// to the database: a node remembers who is beyond a limit, and asks for each
// subject one question at a time.
type local struct {
	turns *Turns

	mu      sync.Mutex
	refused map[string]time.Time // until when
}

func newLocal() *local {
	return &local{refused: map[string]time.Time{}, turns: NewTurns(1)}
}

// look gives the refusal of a subject that is known to be beyond its limit: no
// node counts anything for it before the moment at which it may have one more.
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

// sweep forgets the refusals that are over.
func (l *local) sweep(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(now)
}

func (l *local) forget(now time.Time) {
	maps.DeleteFunc(l.refused, func(_ string, until time.Time) bool { return !now.Before(until) })
}

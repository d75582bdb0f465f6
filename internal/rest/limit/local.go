package limit

import (
	"context"
	"fmt"
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
	mu      sync.Mutex
	refused map[string]time.Time // until when
	turns   map[string]*turn
}

// turn is held by whoever asks about a subject.
type turn struct {
	held    chan struct{} // one may be in it
	wanting int           // how many hold it or wait for it
}

func newLocal() *local {
	return &local{refused: map[string]time.Time{}, turns: map[string]*turn{}}
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

// take waits until nobody else asks about a subject; done lets the next one.
func (l *local) take(ctx context.Context, subject string) (done func(), err error) {
	l.mu.Lock()
	t := l.turns[subject]
	if t == nil {
		t = &turn{held: make(chan struct{}, 1)}
		l.turns[subject] = t
	}
	t.wanting++
	l.mu.Unlock()
	select {
	case t.held <- struct{}{}:
		return func() { <-t.held; l.leave(subject, t) }, nil
	case <-ctx.Done():
		l.leave(subject, t)
		return nil, fmt.Errorf("wait to count a request: %w", ctx.Err())
	}
}

func (l *local) leave(subject string, t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.wanting--
	if t.wanting == 0 {
		delete(l.turns, subject)
	}
}

package cert

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// betweenReadings is the pause after each reading of the answers to challenges.
const betweenReadings = 100 * time.Millisecond

// answers reads the answers to all challenges at once, for everybody who asks for one
// meanwhile. Anybody may ask, and asking must not cost a query each time. But nobody is
// refused: a certificate authority asks from several places, whose addresses nobody knows,
// and all of them may come from a balancer.
type answers struct {
	mu   sync.Mutex
	next *reading // the one that has not begun yet
	busy bool     // while one of them reads, and for betweenReadings
}

// reading is one reading of all answers.
type reading struct {
	done   chan struct{} // closed when it is over
	sealed map[string]string
	err    error
}

// ask returns the answers of a reading that begins after the call, so that it has an answer
// that was stored before.
func (a *answers) ask(ctx context.Context, read func(context.Context) (map[string]string, error)) (map[string]string, error) {
	a.mu.Lock()
	if a.next == nil {
		a.next = &reading{done: make(chan struct{})}
	}
	r := a.next
	if !a.busy {
		a.busy = true
		go a.work(context.WithoutCancel(ctx), read) // the others go on waiting when the first one leaves
	}
	a.mu.Unlock()
	select {
	case <-r.done:
		return r.sealed, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("read the answers to challenges: %w", context.Cause(ctx))
	}
}

// work reads until nobody asks any more.
func (a *answers) work(ctx context.Context, read func(context.Context) (map[string]string, error)) {
	for r := a.begin(); r != nil; r = a.begin() {
		limited, cancel := context.WithTimeout(ctx, answerWithin)
		r.sealed, r.err = read(limited)
		cancel()
		close(r.done)
		<-time.After(betweenReadings)
	}
}

// begin is the next reading, or nil if nobody asked for one.
func (a *answers) begin() *reading {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.next
	a.next, a.busy = nil, r != nil
	return r
}

// The endings of the names by which autocert keeps answers to challenges.
const tokenEnding, httpEnding = "+token", "+http-01"

// isAnswer says whether a value is the answer to a challenge.
func isAnswer(name string) bool {
	return strings.HasSuffix(name, tokenEnding) || strings.HasSuffix(name, httpEnding)
}

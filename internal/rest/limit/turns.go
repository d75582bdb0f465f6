package limit

import (
	"context"
	"fmt"
	"sync"
)

// Turns limits how many requests of one subject run at the same time. Further
// ones wait, and delay no other subject.
type Turns struct {
	atOnce int

	mu sync.Mutex
	of map[string]*turn
}

// turn is shared by all requests of one subject.
type turn struct {
	held    chan struct{} // holds one element for each request that has its turn
	wanting int           // how many have a turn or wait for one
}

// NewTurns makes turns, with this many at once for each subject.
func NewTurns(atOnce int) *Turns { return &Turns{atOnce: atOnce, of: map[string]*turn{}} }

// Take waits for a turn; done gives it back.
func (ts *Turns) Take(ctx context.Context, subject string) (done func(), err error) {
	t := ts.join(subject)
	select {
	case t.held <- struct{}{}:
		return func() { <-t.held; ts.leave(subject, t) }, nil
	case <-ctx.Done():
		ts.leave(subject, t)
		return nil, fmt.Errorf("wait for a turn: %w", ctx.Err())
	}
}

// TakeNow takes a turn only if one is free now.
func (ts *Turns) TakeNow(subject string) (done func(), ok bool) {
	t := ts.join(subject)
	select {
	case t.held <- struct{}{}:
		return func() { <-t.held; ts.leave(subject, t) }, true
	default:
		ts.leave(subject, t)
		return nil, false
	}
}

func (ts *Turns) join(subject string) *turn {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.of[subject]
	if t == nil {
		t = &turn{held: make(chan struct{}, ts.atOnce)}
		ts.of[subject] = t
	}
	t.wanting++
	return t
}

func (ts *Turns) leave(subject string, t *turn) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.wanting--
	if t.wanting == 0 {
		delete(ts.of, subject)
	}
}

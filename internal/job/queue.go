package job

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

const (
	// leaseFor is how long a job is held without a sign of life, and renewEvery
	// how often that sign is given: a node may miss two of them. A killed node's
	// jobs are taken by others within leaseFor and one sweep, seven seconds.
	leaseFor   = 6 * time.Second
	renewEvery = 2 * time.Second
	// sweepEvery is how often every lane is looked at.
	sweepEvery = time.Second
	// mostRunning bounds the jobs that one process holds.
	mostRunning = 1000
)

// Config is what a queue is made of.
type Config struct {
	Name   string // of the queue; no two kinds of work share one
	Slots  int    // how many jobs of a lane may be under way, on all nodes together
	DB     *db.DB
	Now    func() time.Time
	Logger *slog.Logger
	Handle Handler
	// Draining closes when the service begins to stop: no more jobs are taken,
	// and those under way go on until Run's context ends. Nil: never.
	Draining <-chan struct{}
}

// Queue is one kind of work, with its lanes.
type Queue struct {
	Config

	poked   chan struct{} // holds at most one wake-up of the loop
	workers sync.WaitGroup
	swept   atomic.Int64 // when the lanes were last looked at, in milliseconds

	mu       sync.Mutex
	ready    map[string]bool  // lanes in which a job may be due
	running  map[string]*work // by the job's id
	finished []*work          // of those: with a result that is not yet written
}

// work is a job while this process holds it.
type work struct {
	Job

	cancel context.CancelFunc
	result Result
	tries  int // of writing the result
}

// New makes a queue. Run sets it to work.
func New(c Config) *Queue {
	return &Queue{Config: c, poked: make(chan struct{}, 1), ready: map[string]bool{}, running: map[string]*work{}}
}

// Add promises a job. id is the caller's: the row of its own that the job is
// about, say.
func (q *Queue) Add(ctx context.Context, tx *db.Tx, id, lane string, at time.Time) error {
	if err := q.insert(ctx, tx, id, lane, at); err != nil {
		return err
	}
	q.wakeAfter(tx, lane, at)
	return nil
}

// Ensure promises a job that may be promised already: then it comes due
// earlier, if it was to be done later.
func (q *Queue) Ensure(ctx context.Context, tx *db.Tx, id, lane string, at time.Time) error {
	there, err := exists(ctx, tx, id)
	if err != nil {
		return err
	}
	if !there {
		return q.Add(ctx, tx, id, lane, at)
	}
	q.wakeAfter(tx, lane, at)
	return hasten(ctx, tx, id, at)
}

// CancelLane drops every job of a lane and says which those were. What this process has under way is
// stopped at once, other nodes notice when they renew their leases; either
// way no result of it is written any more.
func (q *Queue) CancelLane(ctx context.Context, tx *db.Tx, lane string) ([]string, error) {
	tx.AfterCommit(func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, w := range q.running {
			if w.Lane == lane {
				w.cancel()
			}
		}
	})
	return q.deleteLane(ctx, tx, lane)
}

// Ready says whether the loop goes around.
func (q *Queue) Ready(context.Context) error {
	if last := q.swept.Load(); last == 0 || q.Now().Sub(time.UnixMilli(last)) > 10*sweepEvery {
		return errors.New("the queue " + q.Name + " is not being worked on")
	}
	return nil
}

// Quiesce waits until nothing is under way, after Draining has closed, or until
// ctx ends.
func (q *Queue) Quiesce(ctx context.Context) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for !q.idle() {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// wakeAfter makes the loop look at a lane once the transaction is committed.
func (q *Queue) wakeAfter(tx *db.Tx, lane string, at time.Time) {
	if at.After(q.Now()) {
		return // a sweep finds it
	}
	tx.AfterCommit(func() {
		q.mu.Lock()
		q.ready[lane] = true
		q.mu.Unlock()
		q.poke()
	})
}

func (q *Queue) poke() {
	select {
	case q.poked <- struct{}{}:
	default: // it is awake already
	}
}

func (q *Queue) draining() bool {
	select {
	case <-q.Draining: // nil blocks for ever
		return true
	default:
		return false
	}
}

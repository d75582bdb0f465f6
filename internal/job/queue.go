package job

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

const (
	// leaseFor is how long a job is held without a renewal, and renewEvery the
	// interval of renewals: a node may miss two of them. Other nodes take the
	// jobs of a killed one within leaseFor and one sweep, seven seconds.
	leaseFor   = 6 * time.Second
	renewEvery = 2 * time.Second
	// sweepEvery is how often all lanes are checked.
	sweepEvery = time.Second
	// mostHeld bounds the jobs that one process holds, unless Config says
	// otherwise.
	mostHeld = 1000
	// lastWrite bounds the last write when the service stops, unless Config
	// says otherwise.
	lastWrite = 2 * time.Second
)

// Config configures a queue.
type Config struct {
	Name   string // of the queue; each kind of work has its own
	Slots  int    // how many jobs of a lane may run at a time, on all nodes together
	Most   int    // how many jobs one process may run at a time; zero: a thousand
	DB     *db.DB
	Now    func() time.Time
	Logger *slog.Logger
	Handle Handler
	// Fetch reads what the handler needs for jobs that are being taken, for all of
	// them at once and in the transaction that takes them; the result is by the
	// jobs' ids. Nil: the handler reads it.
	Fetch func(ctx context.Context, tx *db.Tx, jobs []Job) (map[string]any, error)
	// WriteNotes writes the notes of jobs that ended with Noted. Nil: the
	// handler makes none.
	WriteNotes func(ctx context.Context, tx *db.Tx, notes []any) error
	// LastWrite bounds the time for the last results when Run ends; zero: two
	// seconds.
	LastWrite time.Duration
	// Draining is closed when the service begins to stop: no more jobs are
	// taken, and running ones continue until Run's context ends. Nil: never.
	Draining <-chan struct{}
}

// Queue is one kind of work, with its lanes.
type Queue struct {
	Config

	poked   chan struct{} // holds at most one wake-up of the loop
	workers sync.WaitGroup
	swept   atomic.Int64 // when all lanes were last checked, in milliseconds

	mu        sync.Mutex
	ready     map[string]bool  // lanes in which a job may be due; false: their slots were all taken, on all nodes
	running   map[string]*work // by the job's id
	finished  []*work          // running jobs with a result that is not written yet
	unwritten []*work          // running jobs with a result that could not be written, for the next sweep
}

// work is a job while this process holds it.
type work struct {
	Job

	cancel context.CancelFunc
	result Result
	tries  int // how often writing the result failed
}

// New makes a queue. Run sets it to work.
func New(c Config) *Queue {
	c.Most, c.LastWrite = cmp.Or(c.Most, mostHeld), cmp.Or(c.LastWrite, lastWrite)
	return &Queue{Config: c, poked: make(chan struct{}, 1), ready: map[string]bool{}, running: map[string]*work{}}
}

// Add promises a job. The caller chooses its id, such as the id of the row that
// the job is about.
func (q *Queue) Add(ctx context.Context, tx *db.Tx, id, lane string, at time.Time) error {
	return q.AddAll(ctx, tx, []Job{{ID: id, Lane: lane}}, at)
}

// AddAll promises several jobs at once.
func (q *Queue) AddAll(ctx context.Context, tx *db.Tx, jobs []Job, at time.Time) error {
	if err := q.insert(ctx, tx, jobs, at); err != nil {
		return err
	}
	for _, j := range jobs {
		q.wakeAfter(tx, j.Lane, at)
	}
	return nil
}

// Ensure promises a job that may be promised already; in that case it becomes
// due earlier if it was due later.
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

// Drop deletes jobs of a lane and returns their ids: all that are running, and
// up to most waiting ones, so that a long backlog does not block other writers.
// When it returns fewer ids than most, none are left. Jobs of this process are
// stopped at once; other nodes notice when they renew their leases. In either
// case their results are no longer written.
func (q *Queue) Drop(ctx context.Context, tx *db.Tx, lane string, most int) ([]string, error) {
	held, waiting, err := q.delete(ctx, tx, lane, most)
	if err != nil {
		return nil, err
	}
	tx.AfterCommit(func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, jobID := range held {
			if w := q.running[jobID]; w != nil {
				w.cancel()
			}
		}
	})
	return append(held, waiting...), nil
}

// Ready says whether the loop is running.
func (q *Queue) Ready(context.Context) error {
	if last := q.swept.Load(); last == 0 || q.Now().Sub(time.UnixMilli(last)) > 10*sweepEvery {
		return errors.New("the queue " + q.Name + " is not being worked on")
	}
	return nil
}

// Quiesce waits, after Draining is closed, until no job is running, or until
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

// wakeAfter makes the loop check a lane once the transaction is committed.
func (q *Queue) wakeAfter(tx *db.Tx, lane string, at time.Time) {
	if at.After(q.Now()) {
		return // a sweep finds it
	}
	tx.AfterCommit(func() { q.wake(lane) })
}

// wake makes the loop check a lane.
func (q *Queue) wake(lane string) {
	q.mu.Lock()
	q.ready[lane] = true
	q.mu.Unlock()
	q.poke()
}

func (q *Queue) poke() {
	select {
	case q.poked <- struct{}{}:
	default: // it is already awake
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

// Holds says whether this process still holds a job: not when its lease ended
// and another process took it, or when it was dropped. A handler calls it
// before an act that must not follow another process's.
func (q *Queue) Holds(ctx context.Context, tx *db.Tx, j Job) (bool, error) {
	return holds(ctx, tx, j)
}

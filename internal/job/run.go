package job

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Run takes jobs and writes their results until ctx ends. Then it stops the
// running jobs and gives them back.
func (q *Queue) Run(ctx context.Context) {
	sweep, renew := time.NewTicker(sweepEvery), time.NewTicker(renewEvery)
	defer sweep.Stop()
	defer renew.Stop()
	q.try(ctx, q.sweep)
	for {
		q.try(ctx, q.step)
		select {
		case <-ctx.Done():
			q.giveBack(ctx)
			return
		case <-q.poked:
			if q.DB.Engine() == db.PostgreSQL { // SQLite writes a result in less time
				q.gather(ctx)
			}
		case <-sweep.C:
			q.try(ctx, q.sweep)
		case <-renew.C:
			q.try(ctx, func(ctx context.Context) error {
				_, err := q.renew(ctx)
				return err
			})
		}
	}
}

// try does one step of the loop. A step that fails is repeated later: all it
// needs is in the database, or kept in memory until it is.
func (q *Queue) try(ctx context.Context, do func(context.Context) error) {
	if err := do(ctx); err != nil && ctx.Err() == nil {
		q.Logger.ErrorContext(ctx, "a job queue failed; trying again", "queue", q.Name, "error", err)
	}
}

// Settle does everything that is due, without Run: for tests that set the
// clock, and for commands.
func (q *Queue) Settle(ctx context.Context) error {
	for {
		if err := q.sweep(ctx); err != nil {
			return err
		}
		worked := false
		for {
			if err := q.step(ctx); err != nil {
				return err
			}
			if q.stuck() {
				break
			}
			worked = true
			q.workers.Wait()
		}
		// The jobs that are due belong to another process, or there are none.
		if !worked {
			return nil
		}
	}
}

// idle says whether no job is running.
func (q *Queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.running) == 0
}

// stuck says whether nothing can continue before the next sweep.
func (q *Queue) stuck() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.running) == len(q.unwritten)
}

// sweep checks all lanes, for jobs that have become due, were given back, or
// were added by other processes, and for leases that have ended. It also tries
// again to write results that could not be written.
func (q *Queue) sweep(ctx context.Context) error {
	q.mu.Lock()
	q.finished, q.unwritten = append(q.finished, q.unwritten...), nil
	q.mu.Unlock()
	var (
		lanes     []string
		abandoned bool
	)
	now := q.Now()
	err := q.DB.Read(ctx, func(tx *db.Tx) (err error) {
		if abandoned, err = q.abandoned(ctx, tx, now); err != nil {
			return err
		}
		lanes, err = q.dueLanes(ctx, tx, now)
		return err
	})
	if err != nil {
		return err
	}
	if abandoned {
		// After a pause that was too long, for example of the whole machine,
		// this process may still have jobs that no other one has taken. Its leases are
		// judged by the time from which they were renewed: by now they may have ended.
		if now, err = q.renew(ctx); err != nil {
			return err
		}
		err := q.DB.WriteLoosely(ctx, func(tx *db.Tx) error {
			n, err := q.reclaim(ctx, tx, now)
			if err != nil {
				return err
			}
			if n > 0 {
				tx.AfterCommit(func() {
					q.Logger.WarnContext(ctx, "jobs were taken back from a process that is gone", "queue", q.Name, "jobs", n)
				})
			}
			lanes, err = q.dueLanes(ctx, tx, now)
			return err
		})
		if err != nil {
			return err
		}
	}
	q.mu.Lock()
	for _, lane := range lanes {
		q.ready[lane] = true
	}
	q.mu.Unlock()
	q.swept.Store(now.UnixMilli())
	return nil
}

// renew renews the leases of running jobs, and stops those that this process no
// longer holds. It returns the time from which the new leases count.
func (q *Queue) renew(ctx context.Context) (now time.Time, err error) {
	q.mu.Lock()
	held := make([]*work, 0, len(q.running))
	for _, w := range q.running {
		held = append(held, w)
	}
	q.mu.Unlock()
	if len(held) == 0 {
		return q.Now(), nil
	}
	var ours map[string]bool
	err = q.DB.WriteLoosely(ctx, func(tx *db.Tx) (err error) {
		now = q.Now()
		ours, err = renew(ctx, tx, held, now.Add(leaseFor))
		return err
	})
	if err != nil {
		return now, err
	}
	for _, w := range held {
		if !ours[w.lease] {
			w.cancel() // or it has just finished, and this does nothing
		}
	}
	return now, nil
}

// step writes the available results and takes due jobs, in one transaction.
func (q *Queue) step(ctx context.Context) error {
	results, lanes := q.pick()
	if len(results) == 0 && len(lanes) == 0 {
		return nil
	}
	if slices.ContainsFunc(results, func(w *work) bool { return w.tries > 0 }) {
		// One of them failed before. Each is now written by itself, so that it
		// does not block the others.
		for _, w := range results {
			if _, err := q.write(ctx, []*work{w}, nil); err != nil {
				q.retry(ctx, w, err)
			}
		}
		results = nil
	}
	got, err := q.write(ctx, results, lanes)
	if err != nil {
		for _, w := range results {
			q.retry(ctx, w, err)
		}
		q.mu.Lock()
		for lane := range lanes {
			q.ready[lane] = true
		}
		q.mu.Unlock()
		return err
	}
	for _, j := range got.taken {
		q.start(ctx, j)
	}
	q.mu.Lock()
	for _, lane := range got.unfinished {
		q.ready[lane] = true
	}
	for _, lane := range got.full {
		if !q.ready[lane] { // a wake-up meanwhile counts
			q.ready[lane] = false
		}
	}
	q.mu.Unlock()
	return nil
}

// pick returns the results to write, and the ready lanes with the number of
// jobs that may be taken from each.
func (q *Queue) pick() ([]*work, map[string]int) {
	draining := q.draining()
	q.mu.Lock()
	defer q.mu.Unlock()
	results := q.finished
	q.finished = nil
	if draining || len(q.ready) == 0 {
		return results, map[string]int{}
	}
	busy := map[string]int{}
	for _, w := range q.running {
		busy[w.Lane]++
	}
	for _, w := range results {
		busy[w.Lane]--
	}
	lanes := share(slices.Collect(maps.Keys(q.ready)), busy, q.Slots, q.Most-len(q.running)+len(results))
	for lane := range lanes {
		delete(q.ready, lane) // a wake-up meanwhile puts it back
	}
	return results, lanes
}

// write writes results and takes jobs. Two nodes that take from one lane at the
// same time may choose the same slot; then the later one tries again.
func (q *Queue) write(ctx context.Context, results []*work, lanes map[string]int) (batch, error) {
	var b batch
	for attempt := 1; ; attempt++ {
		err := q.DB.WriteLoosely(ctx, func(tx *db.Tx) (err error) {
			if err := q.settle(ctx, tx, results); err != nil {
				return err
			}
			b, err = q.take(ctx, tx, lanes)
			return err
		})
		switch {
		case err == nil:
			q.forget(results)
			return b, nil
		case attempt == 5 || !db.IsUniqueViolation(err):
			return batch{}, err
		}
	}
}

// settle writes outcomes, and then what the handlers have to say about their jobs.
// It drops the results of jobs that were cancelled, or that another process has
// taken.
func (q *Queue) settle(ctx context.Context, tx *db.Tx, results []*work) error {
	ours, err := q.conclude(ctx, tx, results)
	if err != nil {
		return err
	}
	var notes []any
	for _, w := range ours {
		if w.result.note != nil {
			notes = append(notes, w.result.note)
		}
	}
	if len(notes) > 0 {
		if err := q.WriteNotes(ctx, tx, notes); err != nil {
			return fmt.Errorf("write the results of %d jobs: %w", len(notes), err)
		}
	}
	for _, w := range ours {
		if w.result.record == nil {
			continue
		}
		if err := w.result.record(ctx, tx); err != nil {
			return fmt.Errorf("write the result of job %s: %w", w.ID, err)
		}
	}
	return nil
}

// conclude ends or postpones jobs, and returns those that this process still held.
func (q *Queue) conclude(ctx context.Context, tx *db.Tx, results []*work) (ours []*work, err error) {
	var ended, returned []*work
	for _, w := range results {
		switch w.result.fate {
		case done:
			ended = append(ended, w)
		case back:
			returned = append(returned, w)
		case again: // each to another time
		}
	}
	held, err := end(ctx, tx, ended)
	if err != nil {
		return nil, err
	}
	free, err := giveUp(ctx, tx, returned)
	if err != nil {
		return nil, err
	}
	for _, w := range results {
		still := held[w.lease] || free[w.lease]
		if w.result.fate == again {
			if still, err = postpone(ctx, tx, w.Job, w.result.at); err != nil {
				return nil, err
			}
		}
		if still {
			ours = append(ours, w)
		}
	}
	return ours, nil
}

// forget removes jobs whose results are written.
func (q *Queue) forget(written []*work) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range written {
		w.cancel()
		if q.running[w.ID] == w {
			delete(q.running, w.ID)
		}
	}
}

// mostTries is how often writing a result is tried, one sweep apart, while the
// database answers.
const mostTries = 5

// retry keeps a result that could not be written for the next sweep. One that
// cannot be written at all, although the database answers, is dropped: its
// lease ends, and the job is done again.
func (q *Queue) retry(ctx context.Context, w *work, err error) {
	if q.DB.Ping(ctx) == nil {
		w.tries++
	}
	if w.tries >= mostTries {
		q.Logger.ErrorContext(ctx, "the result of a job cannot be written; it will be done again", "queue", q.Name, "job", w.ID, "error", err)
		q.forget([]*work{w})
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.unwritten = append(q.unwritten, w)
}

// start begins to work on a job.
func (q *Queue) start(ctx context.Context, j Job) {
	ctx, cancel := context.WithCancel(ctx)
	w := &work{Job: j, cancel: cancel, result: GiveBack(), tries: 0}
	q.mu.Lock()
	if lost := q.running[j.ID]; lost != nil {
		lost.cancel() // its lease had ended before this process took the job again
	}
	q.running[j.ID] = w
	q.mu.Unlock()
	q.workers.Go(func() {
		w.result = q.handle(ctx, j)
		q.mu.Lock()
		q.finished = append(q.finished, w)
		q.mu.Unlock()
		q.poke()
	})
}

// afterPanic is when a job is done again after its handler panicked.
const afterPanic = time.Minute

func (q *Queue) handle(ctx context.Context, j Job) (r Result) {
	defer func() {
		if p := recover(); p != nil {
			q.Logger.ErrorContext(ctx, "a job panicked", "queue", q.Name, "job", j.ID, "panic", p, "stack", string(debug.Stack()))
			r = Again(q.Now().Add(afterPanic), nil)
		}
	}()
	return q.Handle(ctx, j)
}

package job_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/job"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// clock is a clock that a test sets.
type clock struct{ ms atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.ms.Store(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC).UnixMilli())
	return c
}

func (c *clock) Now() time.Time          { return time.UnixMilli(c.ms.Load()).UTC() }
func (c *clock) Advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// node makes the queue of one node.
func node(d *db.DB, c *clock, handle job.Handler) *job.Queue {
	return job.New(job.Config{Name: "test", Slots: 2, DB: d, Now: c.Now, Logger: slog.New(slog.DiscardHandler), Handle: handle})
}

// run runs a queue until the end of the test, or until stop is called.
func run(t *testing.T, q *job.Queue) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var working sync.WaitGroup
	working.Go(func() { q.Run(ctx) })
	stop = func() {
		cancel()
		working.Wait()
	}
	t.Cleanup(stop)
	return stop
}

func add(t *testing.T, d *db.DB, q *job.Queue, at time.Time, lane string, ids ...string) {
	t.Helper()
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		for _, id := range ids {
			if err := q.Add(t.Context(), tx, id, lane, at); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func settle(t *testing.T, q *job.Queue) {
	t.Helper()
	if err := q.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// wait receives from a channel.
func wait[T any](t *testing.T, ch <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(patience):
		t.Fatalf("timed out waiting for %s", what)
	}
	return v
}

// done is a handler that records which jobs it did.
type done struct {
	mu  sync.Mutex
	ids []string
}

func (d *done) handle(_ context.Context, j job.Job) job.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ids = append(d.ids, j.ID)
	return job.Done(nil)
}

func (d *done) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := d.ids
	d.ids = nil
	slices.Sort(ids)
	return ids
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("done were %v, want %v", got, want)
	}
}

func TestAJobIsDoneOnceItIsCommittedAndDue(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, did := newClock(), new(done)
		q := node(d, c, did.handle)
		refused := errors.New("the transaction fails")
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			return errors.Join(q.Add(t.Context(), tx, "never", "a", c.Now()), refused)
		})
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
		settle(t, q)
		same(t, did.take())
		add(t, d, q, c.Now(), "a", "1", "2", "3", "4", "5")
		add(t, d, q, c.Now().Add(time.Second), "b", "later")
		settle(t, q)
		same(t, did.take(), "1", "2", "3", "4", "5")
		c.Advance(999 * time.Millisecond)
		settle(t, q)
		same(t, did.take())
		c.Advance(time.Millisecond)
		settle(t, q)
		same(t, did.take(), "later")
		settle(t, q)
		same(t, did.take())
	})
}

func TestAgainAndEnsure(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newClock()
		runs := 0
		q := node(d, c, func(context.Context, job.Job) job.Result {
			runs++
			if runs < 3 {
				return job.Again(c.Now().Add(time.Minute), nil)
			}
			return job.Done(nil)
		})
		ensure := func() {
			t.Helper()
			if err := d.Write(t.Context(), func(tx *db.Tx) error { return q.Ensure(t.Context(), tx, "1", "a", c.Now()) }); err != nil {
				t.Fatal(err)
			}
			settle(t, q)
		}
		ensure() // adds it
		settle(t, q)
		if runs != 1 {
			t.Fatalf("after the first time it ran %d times", runs)
		}
		c.Advance(time.Minute)
		settle(t, q)
		if runs != 2 {
			t.Fatalf("after a minute it ran %d times", runs)
		}
		ensure() // hastens it
		if runs != 3 {
			t.Fatalf("hastened, it ran %d times", runs)
		}
		c.Advance(time.Hour)
		settle(t, q)
		if runs != 3 {
			t.Errorf("a job that is done ran %d times", runs)
		}
	})
}

// Two nodes share a lane with two slots: at most two of its jobs run at a time,
// all are done once, and another lane does not wait for it.
func TestSlotsHoldOnAllNodesTogether(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newClock()
		var (
			mu         sync.Mutex
			now, most  int
			times      = map[string]int{}
			quick      = make(chan string, 10)
			hold, done = make(chan struct{}), make(chan string, 100)
		)
		handle := func(_ context.Context, j job.Job) job.Result {
			if j.Lane == "quick" {
				quick <- j.ID
				return job.Done(nil)
			}
			mu.Lock()
			now++
			most = max(most, now)
			times[j.ID]++
			mu.Unlock()
			<-hold
			mu.Lock()
			now--
			mu.Unlock()
			done <- j.ID
			return job.Done(nil)
		}
		here, there := node(d, c, handle), node(d, c, handle)
		var slow []string
		for i := range 40 {
			slow = append(slow, fmt.Sprintf("slow%02d", i))
		}
		add(t, d, here, c.Now(), "slow", slow...)
		run(t, here)
		run(t, there)
		for i := range 5 { // the slow lane holds its slots meanwhile
			add(t, d, here, c.Now(), "quick", fmt.Sprint("quick", i))
			wait(t, quick, "a job of the other lane")
		}
		close(hold)
		for range slow {
			wait(t, done, "the slow jobs")
		}
		mu.Lock()
		defer mu.Unlock()
		if most > 2 {
			t.Errorf("%d jobs of a lane with two slots were under way", most)
		}
		for id, n := range times {
			if n != 1 {
				t.Errorf("%s was done %d times", id, n)
			}
		}
	})
}

func TestDroppedJobsEndAndWriteNothing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newClock()
		begun, ended := make(chan struct{}, 2), make(chan struct{}, 2)
		q := node(d, c, func(ctx context.Context, _ job.Job) job.Result {
			begun <- struct{}{}
			<-ctx.Done()
			ended <- struct{}{}
			return job.Done(func(context.Context, *db.Tx) error {
				t.Error("the result of a dropped job was written")
				return nil
			})
		})
		add(t, d, q, c.Now(), "a", "1", "2")
		stop := run(t, q)
		wait(t, begun, "two jobs")
		wait(t, begun, "two jobs")
		add(t, d, q, c.Now().Add(time.Minute), "a", "3", "4", "5")
		var ids []string
		err := d.Write(t.Context(), func(tx *db.Tx) (err error) {
			ids, err = q.Drop(t.Context(), tx, "a", 2)
			return err
		})
		slices.Sort(ids)
		if err != nil || !slices.Equal(ids, []string{"1", "2", "3", "4"}) {
			t.Errorf("dropped were %v, %v", ids, err)
		}
		wait(t, ended, "the jobs to end")
		wait(t, ended, "the jobs to end")
		stop()
		c.Advance(time.Minute)
		did := new(done)
		settle(t, node(d, c, did.handle))
		same(t, did.take(), "5") // more than one job was waiting
	})
}

func TestAHandlerThatPanicsIsTriedAgain(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, did := newClock(), new(done)
		broken := true
		q := node(d, c, func(ctx context.Context, j job.Job) job.Result {
			if broken {
				panic("as it happens")
			}
			return did.handle(ctx, j)
		})
		add(t, d, q, c.Now(), "a", "1")
		settle(t, q)
		broken = false
		c.Advance(time.Minute)
		settle(t, q)
		same(t, did.take(), "1")
	})
}

// A result that cannot be written is kept and written later; it does not affect
// other results.
func TestAResultThatCannotBeWrittenIsWrittenLater(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newClock()
		fails := 2
		wrote := new(done)
		q := node(d, c, func(_ context.Context, j job.Job) job.Result {
			return job.Done(func(ctx context.Context, tx *db.Tx) error {
				if j.ID == "1" && fails > 0 {
					fails--
					return errors.New("not now")
				}
				tx.AfterCommit(func() { wrote.handle(ctx, j) })
				return nil
			})
		})
		add(t, d, q, c.Now(), "a", "1", "2")
		if err := q.Settle(t.Context()); err == nil {
			t.Error("the failure was not reported")
		}
		for range 3 {
			_ = q.Settle(t.Context())
		}
		same(t, wrote.take(), "1", "2")
		did := new(done)
		settle(t, node(d, c, did.handle))
		same(t, did.take())
	})
}

package job_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/job"
)

// A process is stopped for longer than its lease: another one does the job, and
// the first one's result does not count.
func TestAnotherNodeTakesAJobWhoseLeaseEnded(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newClock()
		begun, told, wrote := make(chan struct{}), make(chan struct{}), make(chan string, 2)
		taken, draining := make(chan struct{}), make(chan struct{})
		write := func(who string) job.Record {
			return func(_ context.Context, tx *db.Tx) error {
				tx.AfterCommit(func() { wrote <- who })
				return nil
			}
		}
		away := node(d, c, func(ctx context.Context, _ job.Job) job.Result {
			close(begun)
			<-ctx.Done() // notices when it renews its lease
			close(told)
			<-taken // until the other node takes it, the job has no holder and the result would still count
			return job.Done(write("the one that was away"))
		})
		away.Draining = draining
		late := newClock() // its own clock, so that the first node's leases are not renewed when it moves
		other := node(d, late, func(ctx context.Context, _ job.Job) job.Result {
			close(taken)
			waited, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			away.Quiesce(waited) // the late result is written first, and is dropped because another process holds the job
			return job.Done(write("the other one"))
		})
		add(t, d, away, c.Now(), "a", "1")
		stop := run(t, away)
		wait(t, begun, "the job to begin")
		close(draining) // or it might take the job again itself, between the two transactions of the other node
		settle(t, other)
		if len(wrote) != 0 {
			t.Fatal("a job that is held was done by somebody else")
		}
		late.Advance(7 * time.Second) // a lease lasts six
		settle(t, other)
		if who := wait(t, wrote, "the other node"); who != "the other one" {
			t.Errorf("%s wrote the result", who)
		}
		wait(t, told, "the first node to notice")
		stop()
		if len(wrote) != 0 {
			t.Errorf("%s wrote a result of a job that was not its own", <-wrote)
		}
	})
}

// A process that stood still for longer than its leases keeps the jobs that no
// other process has taken.
func TestAProcessThatStoodStillKeepsItsJobs(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newClock()
		begun, finish, ended := make(chan string, 3), make(chan struct{}), make(chan struct{}, 3)
		q := node(d, c, func(ctx context.Context, j job.Job) job.Result {
			begun <- j.ID
			defer func() { ended <- struct{}{} }()
			select {
			case <-finish:
			case <-ctx.Done():
				t.Errorf("%s was taken away", j.ID)
			}
			return job.Done(nil)
		})
		add(t, d, q, c.Now(), "a", "1")
		add(t, d, q, c.Now().Add(time.Second), "b", "2") // a sweep finds it
		run(t, q)
		wait(t, begun, "the first job")
		c.Advance(time.Minute)
		if again := wait(t, begun, "the second job"); again != "2" {
			t.Errorf("%s was begun again", again)
		}
		close(finish)
		wait(t, ended, "both jobs to end before the queue stops")
		wait(t, ended, "both jobs to end before the queue stops")
	})
}

// When the service stops, running jobs may finish until the time is over and
// are then given back; no new ones begin.
func TestRunningJobsAreGivenBackWhenTheServiceStops(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newClock()
		draining, begun := make(chan struct{}), make(chan string, 3)
		finish, did := make(chan struct{}), new(done)
		q := job.New(job.Config{
			Name: "test", Slots: 2, DB: d, Now: c.Now, Logger: slog.New(slog.DiscardHandler), Draining: draining,
			LastWrite: time.Hour, // the speed of the machine does not matter here
			Handle: func(ctx context.Context, j job.Job) job.Result {
				begun <- j.ID
				if j.ID == "1" {
					<-finish
					return did.handle(ctx, j)
				}
				<-ctx.Done()
				return job.GiveBack()
			},
		})
		add(t, d, q, c.Now(), "a", "1", "2", "3")
		stop := run(t, q)
		wait(t, begun, "two jobs")
		wait(t, begun, "two jobs")
		close(draining)
		close(finish)
		waited, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		q.Quiesce(waited)
		if waited.Err() == nil {
			t.Error("no job is running, though one has not ended")
		}
		stop()
		same(t, did.take(), "1")
		if len(begun) != 0 {
			t.Errorf("%s was begun while the service stopped", <-begun)
		}
		settle(t, node(d, c, did.handle)) // at once: no lease has to end
		same(t, did.take(), "2", "3")
	})
}

// A process was killed, and then the clock was set back. On SQLite no other process can
// hold its jobs, so they do not wait until the clock is where it was.
func TestJobsOfAKilledProcessDoNotWaitForAClockThatWasSetBack(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.Config(t, db.SQLite))
	c, did := newClock(), new(done)
	q := node(d, c, did.handle)
	add(t, d, q, c.Now(), "a", "1", "2")
	hold := func(id string, slot int, until time.Time) {
		t.Helper()
		dbtest.Change(t, d, `UPDATE job SET slot = $1, lease = $2, lease_until = $3 WHERE id = $4`, slot, "of "+id, until.UnixMilli(), id)
	}
	hold("1", 0, c.Now().Add(time.Hour)) // held before the clock went back
	hold("2", 1, c.Now().Add(6*time.Second))
	settle(t, q)
	same(t, did.take(), "1")
	c.Advance(7 * time.Second)
	settle(t, q)
	same(t, did.take(), "2")
}

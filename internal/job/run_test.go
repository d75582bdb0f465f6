package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// refusing is a queue that can refuse to write results of the lane "slow".
type refusing struct {
	*Queue

	t       *testing.T
	refused bool
	tried   int // how often the slow job's result was tried
	quick   int // results of other jobs that were written
	slow    int // times the slow job was done
}

func newRefusing(t *testing.T, d *db.DB) *refusing {
	t.Helper()
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	r := &refusing{t: t, refused: true}
	r.Queue = New(Config{
		Name: "test", Slots: 2, DB: d, Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
		Handle: func(_ context.Context, j Job) Result {
			if j.Lane == "quick" {
				return Done(func(context.Context, *db.Tx) error { r.quick++; return nil })
			}
			r.slow++
			return Done(func(context.Context, *db.Tx) error {
				r.tried++
				if r.refused {
					return errors.New("not now")
				}
				return nil
			})
		},
	})
	return r
}

func (r *refusing) add(lane, jobID string) {
	r.t.Helper()
	err := r.DB.Write(r.t.Context(), func(tx *db.Tx) error { return r.Add(r.t.Context(), tx, jobID, lane, r.Now()) })
	if err != nil {
		r.t.Fatal(err)
	}
}

// works takes what is due, does it and writes the results, like the loop
// between two sweeps. Run does the same on a real clock, with which a slow
// machine would do fewer jobs within the time of the tries.
func (r *refusing) works() error {
	r.t.Helper()
	if err := r.step(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	r.workers.Wait()
	return r.step(r.t.Context())
}

// A result that cannot be written is tried once in each sweep, not whenever
// another job finishes. Otherwise a few busy moments would use up its tries.
func TestOtherJobsDoNotUseUpTheTriesOfAResult(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRefusing(t, d)
		r.add("slow", "1")
		if err := r.works(); err == nil {
			t.Error("the failure was not reported")
		}
		const others = 8 // more than a result has tries
		for i := range others {
			r.add("quick", fmt.Sprint("quick", i))
			if err := r.works(); err != nil {
				t.Error(err)
			}
		}
		if r.quick != others || r.tried != 1 {
			t.Errorf("while %d other results were written, this one was tried %d times", r.quick, r.tried)
		}
		r.refused = false
		if err := errors.Join(r.sweep(t.Context()), r.step(t.Context())); err != nil {
			t.Error(err)
		}
		if r.tried != 2 || r.slow != 1 || !r.idle() {
			t.Errorf("the job was done %d times and its result tried %d times; something is left: %v", r.slow, r.tried, !r.idle())
		}
	})
}

// A commit may take longer than a lease, and the clock may be set during it. The process
// does not take its own jobs back then: they would be done twice at the same time.
func TestAProcessDoesNotTakeItsOwnJobsBack(t *testing.T) {
	t.Parallel()
	for name, passes := range map[string]time.Duration{"slow": leaseFor + time.Second, "set back": -leaseFor - time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				r := newRefusing(t, d)
				r.add("slow", "1")
				if err := r.step(t.Context()); err != nil {
					t.Fatal(err)
				}
				r.workers.Wait()
				now := r.Now()
				r.Now = func() time.Time {
					now = now.Add(passes)
					return now
				}
				if err := r.sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := d.Read(t.Context(), func(tx *db.Tx) error {
					held, err := holds(t.Context(), tx, r.running["1"].Job)
					if err == nil && !held {
						t.Error("the job waits, although this process does it")
					}
					return err
				}); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// When the service stops, a result that cannot be written does not keep other results
// from being written: their jobs would be done twice.
func TestAtTheEndOneResultDoesNotHoldOthersBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRefusing(t, d)
		r.add("slow", "1")
		r.add("quick", "2")
		if err := r.step(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.giveBack(t.Context())
		if err := d.Read(t.Context(), func(tx *db.Tx) error {
			for id, want := range map[string]bool{"1": true, "2": false} {
				if there, err := exists(t.Context(), tx, id); err != nil || there != want {
					t.Errorf("job %s is there: %v, %v; want %v", id, there, err, want)
				}
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	})
}

// When the service stops, one result that cannot be written does not lead to a
// transaction for each other result: there is no time for that.
func TestAtTheEndManyResultsAreWrittenTogether(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRefusing(t, d)
		const others = 63
		r.Slots, r.LastWrite = others, time.Hour
		slow := r.Handle
		r.Handle = func(ctx context.Context, j Job) Result {
			if j.Lane == "quick" {
				return Noted(j.ID)
			}
			return slow(ctx, j)
		}
		tries := 0
		r.WriteNotes = func(context.Context, *db.Tx, []any) error { tries++; return nil }
		r.add("slow", "1")
		for i := range others {
			r.add("quick", fmt.Sprint("quick", i))
		}
		if err := r.step(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.giveBack(t.Context())
		if left := len(r.running); left != 1 || tries > 14 {
			t.Errorf("%d jobs are left after notes were written %d times, want one after 14 at most", left, tries)
		}
	})
}

// When the service stops, and all results together take more time than there is, as
// many are written as there is time for.
func TestAtTheEndManyResultsAreWrittenAlthoughAllTakeTooLong(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRefusing(t, d)
		const all = 200
		r.Slots, r.LastWrite = all, 8*time.Second
		r.Handle = func(_ context.Context, j Job) Result { return Noted(j.ID) }
		r.WriteNotes = func(ctx context.Context, _ *db.Tx, notes []any) error {
			if len(notes) > 20 {
				<-ctx.Done()
			}
			return ctx.Err()
		}
		for i := range all {
			r.add("quick", fmt.Sprint("quick", i))
		}
		if err := r.step(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.giveBack(t.Context())
		if left := len(r.running); left > 0 {
			t.Errorf("%d of %d jobs are left, want none", left, all)
		}
	})
}

// When the service stops, a slow result, such as one that waits for a lock, does not
// hold the others back either.
func TestAtTheEndASlowResultDoesNotHoldOthersBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newRefusing(t, d)
		r.LastWrite = 8 * time.Second
		quick := r.Handle
		r.Handle = func(ctx context.Context, j Job) Result {
			if j.Lane == "quick" {
				return quick(ctx, j)
			}
			return Done(func(ctx context.Context, _ *db.Tx) error {
				<-ctx.Done()
				return ctx.Err()
			})
		}
		r.add("slow", "1")
		r.add("quick", "2")
		if err := r.step(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.workers.Wait()
		slices.SortFunc(r.finished, func(a, b *work) int { return strings.Compare(a.ID, b.ID) }) // the slow one first
		r.giveBack(t.Context())
		if err := d.Read(t.Context(), func(tx *db.Tx) error {
			there, err := exists(t.Context(), tx, "2")
			if err == nil && there {
				t.Error("the result of the quick job is not written")
			}
			return err
		}); err != nil {
			t.Error(err)
		}
	})
}

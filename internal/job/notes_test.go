package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// noting is a queue whose jobs leave their ids as notes, except "record". It refuses
// to write the note "bad".
type noting struct {
	*Queue

	t       *testing.T
	written [][]string // the notes of each transaction that was committed
	records []int      // for each record: how many notes had been written before
	notes   int        // how many notes were written, also by transactions that failed later
}

func newNoting(t *testing.T, d *db.DB) *noting {
	t.Helper()
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	n := &noting{t: t}
	n.Queue = New(Config{
		Name: "test", Slots: 4, DB: d, Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler),
		Handle: func(_ context.Context, j Job) Result {
			if j.ID == "record" {
				return Done(func(context.Context, *db.Tx) error { n.records = append(n.records, n.notes); return nil })
			}
			return Noted(j.ID)
		},
		WriteNotes: func(_ context.Context, tx *db.Tx, notes []any) error {
			var ids []string
			for _, note := range notes {
				id, _ := note.(string)
				ids = append(ids, id)
			}
			if slices.Contains(ids, "bad") {
				return errors.New("refused")
			}
			slices.Sort(ids)
			n.notes += len(ids)
			tx.AfterCommit(func() { n.written = append(n.written, ids) })
			return nil
		},
	})
	return n
}

// promise adds jobs to a lane.
func (n *noting) promise(lane string, ids ...string) {
	n.t.Helper()
	jobs := make([]Job, len(ids))
	for i, id := range ids {
		jobs[i] = Job{ID: id, Lane: lane}
	}
	if err := n.DB.Write(n.t.Context(), func(tx *db.Tx) error { return n.AddAll(n.t.Context(), tx, jobs, n.Now()) }); err != nil {
		n.t.Fatal(err)
	}
}

// works takes what is due and does it, without writing results.
func (n *noting) works() {
	n.t.Helper()
	if err := n.step(n.t.Context()); err != nil {
		n.t.Fatal(err)
	}
	n.workers.Wait()
}

// wants checks how many jobs are left, and which notes each transaction wrote.
func (n *noting) wants(left int, written ...[]string) {
	n.t.Helper()
	if !slices.EqualFunc(n.written, written, slices.Equal) {
		n.t.Errorf("written were %v, want %v", n.written, written)
	}
	if got := n.left(); got != left {
		n.t.Errorf("%d jobs are left, want %d", got, left)
	}
}

func (n *noting) left() (jobs int) {
	n.t.Helper()
	err := n.DB.Read(n.t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(n.t.Context(), `SELECT COUNT(*) FROM job`).Scan(&jobs)
	})
	if err != nil {
		n.t.Fatal(err)
	}
	return jobs
}

func TestNotesOfJobsThatEndTogetherAreWrittenTogether(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNoting(t, d)
		n.promise("lane", "1", "2", "3", "4", "5")
		if err := n.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		n.wants(0, []string{"1", "2", "3", "4"}, []string{"5"}) // a lane has four slots
	})
}

// A success that ends together with a failure counts before the failure is judged.
func TestNotesAreWrittenBeforeRecords(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNoting(t, d)
		n.promise("lane", "1", "record", "2")
		if err := n.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(n.records, []int{2}) {
			t.Errorf("when records were written, so many notes had been: %v, want 2", n.records)
		}
	})
}

func TestANoteThatCannotBeWrittenDoesNotHoldOthersBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNoting(t, d)
		n.promise("lane", "bad", "good")
		n.works()
		if err := n.step(t.Context()); err == nil {
			t.Error("the failure was not reported")
		}
		if err := errors.Join(n.sweep(t.Context()), n.step(t.Context())); err != nil {
			t.Error(err)
		}
		n.wants(1, []string{"good"}) // the bad one is left
	})
}

func TestTheNoteOfAJobThatWasTakenAwayIsDropped(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := newNoting(t, d)
		n.promise("lane", "kept", "cancelled", "taken")
		n.works()
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			_, cancelled := tx.Exec(t.Context(), `DELETE FROM job WHERE id = 'cancelled'`)
			_, taken := tx.Exec(t.Context(), `UPDATE job SET lease = 'of another process' WHERE id = 'taken'`)
			return errors.Join(cancelled, taken)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := n.step(t.Context()); err != nil {
			t.Error(err)
		}
		n.wants(1, []string{"kept"}) // that of the other process is left
	})
}

// More lanes and jobs than one statement is about: each lane begins with the jobs that
// have been due longest, as many as it has slots.
func TestManyLanesAreTakenTogether(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const lanes, slots, jobs = 20, 4, 6
		n := newNoting(t, d)
		var first, all []string
		for lane := range lanes {
			var ids []string
			for job := range jobs {
				ids = append(ids, fmt.Sprintf("%02d-%d", lane, job))
			}
			n.promise(fmt.Sprint("lane", lane), ids...)
			first, all = append(first, ids[:slots]...), append(all, ids...)
		}
		n.works()
		if running := slices.Sorted(maps.Keys(n.running)); !slices.Equal(running, first) {
			t.Errorf("running are %v, want %v", running, first)
		}
		if err := n.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(n.written) == 0 || !slices.Equal(n.written[0], first) {
			t.Errorf("the first notes that were written are %v, want %v", n.written, first)
		}
		if written := slices.Sorted(slices.Values(slices.Concat(n.written...))); !slices.Equal(written, all) {
			t.Errorf("written are %v, want %v", written, all)
		}
	})
}

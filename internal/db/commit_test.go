package db_test

import (
	"context"
	"errors"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// commit writes a row over a wire that holds back the answer to the commit. Meanwhile
// it calls the function then. It returns the error of Write.
func commit(ctx context.Context, d *db.DB, w *dbtest.Wire, told *int, then func()) error {
	said := make(chan error, 1)
	go func() {
		said <- d.Write(ctx, func(tx *db.Tx) error {
			tx.AfterCommit(func() { *told++ })
			w.HoldNextCommit()
			return insert(ctx, tx, "a")
		})
	}()
	<-w.Held
	then()
	return <-said
}

func TestACommitIsNotCancelled(t *testing.T) {
	t.Parallel()
	w, where := dbtest.NewWire(t)
	d := dbtest.Open(t, where)
	ctx, cancel := context.WithCancel(t.Context())
	told := 0
	err := commit(ctx, d, w, &told, func() {
		cancel()
		// After a round trip to the database, everything that watches the
		// context knows that it ended.
		if err := d.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		w.Deliver()
	})
	if err != nil || count(t, d) != 1 || told != 1 {
		t.Errorf("err %v, %d rows, told %d times; want nil, 1, 1", err, count(t, d), told)
	}
}

func TestTheOutcomeOfABrokenCommitIsUnknown(t *testing.T) {
	t.Parallel()
	w, where := dbtest.NewWire(t)
	d := dbtest.Open(t, where)
	told := 0
	err := commit(t.Context(), d, w, &told, w.Cut)
	if !errors.Is(err, db.ErrOutcomeUnknown) || told != 0 {
		t.Errorf("err %v, told %d times; want an unknown outcome and 0", err, told)
	}
	if n := count(t, d); n != 1 {
		t.Errorf("%d rows, want the one that the server committed", n)
	}
}

func TestACancelledWriteLeavesNothing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, cancel := context.WithCancel(t.Context())
		err := d.Write(ctx, func(tx *db.Tx) error {
			defer cancel()
			return insert(ctx, tx, "a")
		})
		if !errors.Is(err, context.Canceled) || errors.Is(err, db.ErrOutcomeUnknown) || count(t, d) != 0 {
			t.Errorf("err %v, %d rows; want the context's error and no rows", err, count(t, d))
		}
	})
}

// When the server refuses a commit, the outcome is known.
func TestTheOutcomeOfARefusedCommitIsKnown(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.Config(t, db.PostgreSQL))
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.Exec(t.Context(), `ALTER TABLE account ADD CONSTRAINT late UNIQUE (created_at) DEFERRABLE INITIALLY DEFERRED`); err != nil {
			return err
		}
		if err := insert(t.Context(), tx, "a"); err != nil {
			return err
		}
		return insert(t.Context(), tx, "b")
	})
	if !db.IsUniqueViolation(err) || errors.Is(err, db.ErrOutcomeUnknown) {
		t.Errorf("a refused commit: %v", err)
	}
}

package db_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// Each step of a transaction that has no time limit ends when the database is lost
// without a word, and the next transaction works.
func TestNoStepWaitsForALostDatabase(t *testing.T) {
	t.Parallel()
	ask := func(ctx context.Context, tx *db.Tx) error {
		var one int
		return tx.QueryRow(ctx, "SELECT 1").Scan(&one)
	}
	for step, run := range map[string]func(ctx context.Context, d *db.DB, cut func()) error{
		"the beginning of a read": func(ctx context.Context, d *db.DB, cut func()) error {
			cut()
			return d.Read(ctx, func(tx *db.Tx) error { return ask(ctx, tx) })
		},
		"the beginning of a write": func(ctx context.Context, d *db.DB, cut func()) error {
			cut()
			return d.Write(ctx, func(tx *db.Tx) error { return insert(ctx, tx, "a") })
		},
		"a query for a row": func(ctx context.Context, d *db.DB, cut func()) error {
			return d.Read(ctx, func(tx *db.Tx) error {
				cut()
				return ask(ctx, tx)
			})
		},
		"a query for rows": func(ctx context.Context, d *db.DB, cut func()) error {
			return d.Read(ctx, func(tx *db.Tx) error {
				cut()
				_, err := db.IDs(ctx, tx, "SELECT id FROM account")
				return err
			})
		},
		"a single query": func(ctx context.Context, d *db.DB, cut func()) error {
			cut()
			return d.ReadOne(ctx, func(tx *db.Tx) error { return ask(ctx, tx) })
		},
		"a ping": func(ctx context.Context, d *db.DB, cut func()) error {
			cut()
			return d.Ping(ctx)
		},
		"a change": func(ctx context.Context, d *db.DB, cut func()) error {
			return d.WriteLoosely(ctx, func(tx *db.Tx) error {
				cut()
				return insert(ctx, tx, "a")
			})
		},
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			road, where := dbtest.NewRoad(t)
			d := dbtest.Open(t, with(t, where, "statement_timeout", "3s"))
			if err := run(t.Context(), d, road.Cut); !db.Unavailable(err) {
				t.Errorf("it ended with %v", err)
			}
			if n := count(t, d); n != 0 {
				t.Errorf("%d rows afterwards", n)
			}
		})
	}
}

// What was read is given to the caller although the transaction could not be ended.
func TestAReadEndsOnALostConnection(t *testing.T) {
	t.Parallel()
	road, where := dbtest.NewRoad(t)
	d := dbtest.Open(t, with(t, where, "statement_timeout", "3s"))
	var one int
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		defer road.Cut()
		return tx.QueryRow(t.Context(), "SELECT 1").Scan(&one)
	})
	if err != nil || one != 1 {
		t.Errorf("it read %d, %v", one, err)
	}
}

// What rewrites a table gives up, too, when the database is lost after the connection was
// made: destroyed ballots wait for the next try.
func TestARewriteEndsOnALostDatabase(t *testing.T) {
	t.Parallel()
	mute := dbtest.NewMute(t)
	ended := make(chan error, 1)
	go func() { ended <- db.RewriteAt(t.Context(), mute.URL, time.Second) }()
	select {
	case err := <-ended:
		if !db.Unavailable(err) {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it waits for ever")
	}
}

// That somebody leaves while the database works for them says nothing about the database:
// the connections that are not in use stay open for others.
func TestACallerWhoLeavesClosesNoOtherConnections(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.Config(t, db.PostgreSQL))
	err := d.Read(t.Context(), func(*db.Tx) error { // with two connections, which are not in use afterwards
		return d.Read(t.Context(), func(*db.Tx) error { return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	err = d.ReadOne(ctx, func(tx *db.Tx) error {
		var one int
		return tx.QueryRow(ctx, "SELECT 1").Scan(&one)
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the query ended with %v", err)
	}
	if n := count(t, d); n != 0 || d.UnusedClosed() != 0 {
		t.Errorf("%d connections were closed", d.UnusedClosed())
	}
}

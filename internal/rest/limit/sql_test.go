package limit_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

func TestSubjectsBeyondALimitAreRefusedWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newClock()
		one, two := limit.NewSQL(d, c.now), limit.NewSQL(d, c.now)
		for range 10 {
			take(t, one, "a")
		}
		said := take(t, one, "a")
		if looked, err := two.Look(t.Context(), "a", quota); err != nil || looked != said {
			t.Fatalf("another node: %+v (%v), want %+v", looked, err, said)
		}
		d.Close()
		c.pass(time.Second)
		said.Reset -= time.Second
		for name, l := range map[string]limit.Limiter{"the node that counted": one, "the node that looked": two} {
			if got := take(t, l, "a"); got != said {
				t.Errorf("%s: %+v, want %+v", name, got, said)
			}
			if got, err := l.Look(t.Context(), "a", quota); err != nil || got != said {
				t.Errorf("%s looks: %+v (%v), want %+v", name, got, err, said)
			}
		}
		c.pass(said.Reset)
		if d, err := one.Take(t.Context(), "a", quota, 1); err == nil {
			t.Errorf("at Reset the database was not asked: %+v", d)
		}
	})
}

// One subject whose requests arrive faster than they are counted does not keep
// others from the database.
func TestOneSubjectHoldsOneConnection(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	d, other := dbtest.Open(t, where), dbtest.Open(t, where)
	c := newClock()
	take(t, limit.NewSQL(d, c.now), "a")

	const pool, many = 20, 40
	var came atomic.Int32
	crowded := make(chan struct{})
	l := limit.NewSQL(d, func() time.Time {
		if came.Add(1) == pool {
			close(crowded)
		}
		return c.now()
	})
	var allowed atomic.Int32
	var all sync.WaitGroup
	err := other.Write(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.Exec(t.Context(), `UPDATE rate_limit SET until = until WHERE subject = 'a'`); err != nil {
			return err
		}
		for range many {
			all.Go(func() {
				if d, err := l.Take(t.Context(), "a", quota, 1); err != nil {
					t.Errorf("take: %v", err)
				} else if d.Allowed {
					allowed.Add(1)
				}
			})
		}
		<-crowded // as many requests as there are connections want to count
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		return d.Ping(ctx)
	})
	if err != nil {
		t.Errorf("meanwhile: %v", err)
	}
	all.Wait()
	if allowed.Load() != 9 {
		t.Errorf("%d of %d were allowed, want 9", allowed.Load(), many)
	}
}

func TestACancelledCallerLosesItsTurn(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	d, other := dbtest.Open(t, where), dbtest.Open(t, where)
	l := limit.NewSQL(d, newClock().now)
	take(t, l, "a")
	err := other.Write(t.Context(), func(tx *db.Tx) error {
		if _, err := tx.Exec(t.Context(), `UPDATE rate_limit SET until = until WHERE subject = 'a'`); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if _, err := l.Take(ctx, "a", quota, 1); err == nil {
					t.Error("counted what somebody else holds")
				}
			})
		}
		cancel()
		all.Wait()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := take(t, l, "a"); !d.Allowed || d.Remaining != 8 {
		t.Errorf("the next one: %+v", d)
	}
}

func TestSweepForgetsManyInSeveralTransactions(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.Config(t, db.SQLite))
	c := newClock()
	l := limit.NewSQL(d, c.now)
	change := func(query string, args ...any) {
		t.Helper()
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), query, args...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	change(`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO rate_limit (subject, state, until) SELECT i, '[]', i FROM n`)
	left := func() (n int) {
		t.Helper()
		if err := d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT count(*) FROM rate_limit`).Scan(&n)
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	change(`CREATE TRIGGER stuck BEFORE DELETE ON rate_limit WHEN OLD.subject = '700' BEGIN SELECT RAISE(ABORT, 'stuck'); END`)
	if err := l.Sweep(t.Context()); err == nil || left() != 501 {
		t.Errorf("while one row cannot be forgotten, %d are left (%v), want those of its transaction and after it", left(), err)
	}
	change(`DROP TRIGGER stuck`)
	if err := l.Sweep(t.Context()); err != nil || left() != 0 {
		t.Errorf("%d are left (%v)", left(), err)
	}
}

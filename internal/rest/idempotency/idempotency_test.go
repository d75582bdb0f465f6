package idempotency_test

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/rest/idempotency"
	"github.com/conclave-rooms/conclave/internal/seal"
)

type clock struct{ millis atomic.Int64 }

func (c *clock) now() time.Time       { return time.UnixMilli(c.millis.Load()) }
func (c *clock) pass(d time.Duration) { c.millis.Add(d.Milliseconds()) }

// setup makes two stores on one database, like two nodes, or one node before
// and after a restart.
func setup(t *testing.T, d *db.DB) (c *clock, one, two *idempotency.Store) {
	t.Helper()
	sealer, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	c = &clock{}
	c.millis.Store(1763632800000)
	return c, &idempotency.Store{DB: d, Sealer: sealer, Now: c.now}, &idempotency.Store{DB: d, Sealer: sealer, Now: c.now}
}

func request() *idempotency.Request {
	return &idempotency.Request{Subject: "key1", Key: "k", Fingerprint: "f"}
}

// begin begins a request and returns the outcome: new, in use, reused, or the
// stored answer.
func begin(t *testing.T, s *idempotency.Store, r *idempotency.Request) string {
	t.Helper()
	answer, replay, err := s.Begin(t.Context(), r)
	switch {
	case errors.Is(err, idempotency.ErrInUse):
		return "in use"
	case errors.Is(err, idempotency.ErrReused):
		return "reused"
	case err != nil:
		t.Fatalf("begin: %v", err)
	case replay:
		return string(answer)
	}
	return "new"
}

func TestAnAnswerIsRepeatedUntilItsKeyIsForgotten(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, one, two := setup(t, d)
		first := request()
		want := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Fatalf("%s: %s, want %s", what, got, want)
			}
		}
		want("the first request", begin(t, one, first), "new")
		want("while it runs", begin(t, two, request()), "in use")
		other := request()
		other.Fingerprint = "g"
		want("another request with the key", begin(t, two, other), "reused")
		stranger := request()
		stranger.Subject = "key2"
		want("another API key", begin(t, two, stranger), "new")

		if err := one.Finish(t.Context(), first, []byte("secret answer"), time.Hour); err != nil {
			t.Fatal(err)
		}
		want("afterwards", begin(t, two, request()), "secret answer")
		want("another request with the key", begin(t, two, other), "reused")
		c.pass(time.Hour - time.Millisecond)
		want("a moment before it is forgotten", begin(t, two, request()), "secret answer")
		c.pass(time.Millisecond)
		want("once it is forgotten", begin(t, two, request()), "new")
	})
}

func TestAnAnswerIsSealed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		_, s, _ := setup(t, d)
		r := request()
		begin(t, s, r)
		if err := s.Finish(t.Context(), r, []byte("secret answer"), time.Hour); err != nil {
			t.Fatal(err)
		}
		var kept string
		err := d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT answer FROM idempotency`).Scan(&kept)
		})
		if err != nil || kept == "" || strings.Contains(kept, "secret") {
			t.Fatalf("the row holds %q (%v)", kept, err)
		}
		// In another row it does not open.
		err = d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE idempotency SET key = 'moved'`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		moved := request()
		moved.Key = "moved"
		if answer, _, err := s.Begin(t.Context(), moved); !errors.Is(err, seal.ErrUnopened) {
			t.Fatalf("a moved answer opens as %q (%v)", answer, err)
		}
	})
}

func TestAReleasedKeyIsFree(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		_, one, two := setup(t, d)
		first := request()
		begin(t, one, first)
		if err := one.Release(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		other := request()
		other.Fingerprint = "g"
		if got := begin(t, two, other); got != "new" {
			t.Fatalf("after the release: %s", got)
		}
	})
}

func TestACrashBlocksUntilTheLeaseIsOver(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, one, two := setup(t, d)
		crashed, next := request(), request()
		begin(t, one, crashed)
		c.pass(idempotency.Lease - time.Millisecond)
		if got := begin(t, two, request()); got != "in use" {
			t.Fatalf("before the lease is over: %s", got)
		}
		c.pass(time.Millisecond)
		if got := begin(t, two, next); got != "new" {
			t.Fatalf("once the lease is over: %s", got)
		}
		// The first request had not crashed and was only slow: its answer or
		// release no longer counts.
		if err := one.Finish(t.Context(), crashed, []byte("late"), time.Hour); err != nil {
			t.Fatal(err)
		}
		if err := one.Release(t.Context(), crashed); err != nil {
			t.Fatal(err)
		}
		if got := begin(t, one, request()); got != "in use" {
			t.Fatalf("after the late one: %s", got)
		}
		if err := two.Finish(t.Context(), next, []byte("in time"), time.Hour); err != nil {
			t.Fatal(err)
		}
		if got := begin(t, one, request()); got != "in time" {
			t.Fatalf("finally: %s", got)
		}
	})
}

// A request was killed, or still runs, when the clock was set back. Its key does not stay
// in use until the clock is where it was.
func TestAKeyIsFreeWithinTheLeaseAfterAClockWasSetBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, one, two := setup(t, d)
		begin(t, one, request())
		c.pass(-time.Hour)
		// The first request may still run, so that this one does not begin at once.
		for _, wait := range []time.Duration{0, idempotency.Lease - time.Millisecond} {
			c.pass(wait)
			if got := begin(t, two, request()); got != "in use" {
				t.Fatalf("%s after the next request with the key: %s", wait, got)
			}
		}
		c.pass(time.Millisecond)
		if got := begin(t, two, request()); got != "new" {
			t.Fatalf("a lease after the next request with the key: %s", got)
		}
	})
}

func TestOneOfTwentyRequestsAtOnceBegins(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		_, one, two := setup(t, d)
		var began atomic.Int32
		var wg sync.WaitGroup
		for i := range 20 {
			s := one
			if i%2 == 1 {
				s = two
			}
			wg.Go(func() {
				_, replay, err := s.Begin(t.Context(), request())
				switch {
				case err == nil && !replay:
					began.Add(1)
				case !errors.Is(err, idempotency.ErrInUse):
					t.Errorf("replay %v, error %v", replay, err)
				}
			})
		}
		wg.Wait()
		if began.Load() != 1 {
			t.Errorf("%d of 20 began, want 1", began.Load())
		}
	})
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c, s, _ := setup(t, d)
		short, long := request(), request()
		long.Key = "long"
		for _, r := range []*idempotency.Request{short, long} {
			begin(t, s, r)
			keep := time.Hour
			if r == short {
				keep = time.Minute
			}
			if err := s.Finish(t.Context(), r, []byte("answer"), keep); err != nil {
				t.Fatal(err)
			}
		}
		c.pass(time.Minute)
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		var left string
		err := d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT key FROM idempotency`).Scan(&left)
		})
		if err != nil || left != "long" {
			t.Fatalf("left is %q (%v)", left, err)
		}
	})
}

// fill adds expired answers, in the order of their expiry.
func fill(t *testing.T, d *db.DB, expired int) {
	t.Helper()
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		for i := range expired {
			if _, err := tx.Exec(t.Context(), `INSERT INTO idempotency (subject, key, fingerprint, lease, lease_until, expires_at)
				VALUES ('key1', $1, 'f', '', 0, $2)`, strconv.Itoa(i), i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func kept(t *testing.T, d *db.DB) (n int) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT count(*) FROM idempotency`).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestSweepForgetsManyInSeveralTransactions(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		_, s, _ := setup(t, d)
		begin(t, s, request())
		fill(t, d, 1001)
		if err := s.Sweep(t.Context()); err != nil || kept(t, d) != 1 {
			t.Fatalf("%d are kept (%v), want the one that runs", kept(t, d), err)
		}
	})
	t.Run("one that cannot be forgotten", func(t *testing.T) {
		t.Parallel()
		d := dbtest.Open(t, dbtest.Config(t, db.SQLite))
		_, s, _ := setup(t, d)
		fill(t, d, 1001)
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `CREATE TRIGGER stuck BEFORE DELETE ON idempotency WHEN OLD.key = '700'
				BEGIN SELECT RAISE(ABORT, 'stuck'); END`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Sweep(t.Context()); err == nil || kept(t, d) != 501 {
			t.Errorf("%d are kept (%v), want those of its transaction and after it", kept(t, d), err)
		}
	})
}

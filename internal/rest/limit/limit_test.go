package limit_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

type clock struct{ nanos atomic.Int64 }

func (c *clock) now() time.Time       { return time.Unix(0, c.nanos.Load()) }
func (c *clock) pass(d time.Duration) { c.nanos.Add(int64(d)) }

func newClock() *clock {
	c := &clock{}
	c.nanos.Store(time.Date(2026, 11, 20, 10, 0, 0, 123, time.UTC).UnixNano())
	return c
}

// each runs a test on every limiter. The test gets two limiters that count
// together, like two nodes.
func each(t *testing.T, test func(t *testing.T, c *clock, one, two limit.Limiter)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		c := newClock()
		m := limit.NewMemory(c.now)
		test(t, c, m, m)
	})
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := newClock()
		test(t, c, limit.NewSQL(d, c.now), limit.NewSQL(d, c.now))
	})
}

var quota = limit.Quota{Count: 10, Window: 2 * time.Second}

func take(t *testing.T, l limit.Limiter, subject string) limit.Decision {
	t.Helper()
	d, err := l.Take(t.Context(), subject, quota, 1)
	if err != nil {
		t.Fatalf("take: %v", err)
	}
	return d
}

func TestTheLimitAndOnePastIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *clock, one, two limit.Limiter) {
		for i := range 10 {
			l := one
			if i%2 == 1 {
				l = two
			}
			if d := take(t, l, "a"); !d.Allowed || d.Remaining != 9-i {
				t.Fatalf("request %d: %+v", i+1, d)
			}
		}
		refused := take(t, two, "a")
		if refused.Allowed || refused.Remaining != 0 {
			t.Fatalf("request 11: %+v", refused)
		}
		if d := take(t, one, "b"); !d.Allowed {
			t.Fatalf("another subject: %+v", d)
		}
		c.pass(refused.Reset - time.Nanosecond)
		if d := take(t, one, "a"); d.Allowed {
			t.Fatalf("a moment before Reset: %+v", d)
		}
		c.pass(time.Nanosecond)
		if d := take(t, one, "a"); !d.Allowed {
			t.Fatalf("at Reset: %+v", d)
		}
		if refused.Reset > quota.Window {
			t.Errorf("Reset is %v, longer than the window", refused.Reset)
		}
	})
}

// One request may count as several. It is allowed as long as anything is left, and what
// it takes beyond the quota has to leave the window too.
func TestRequestsThatCountAsMany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *clock, one, two limit.Limiter) {
		for i, step := range []struct{ n, left int }{{4, 6}, {5, 1}, {5, 0}} {
			if d, err := one.Take(t.Context(), "a", quota, step.n); err != nil || !d.Allowed || d.Remaining != step.left {
				t.Fatalf("request %d: %+v, %v; want %d left", i+1, d, err, step.left)
			}
			c.pass(quota.Window / 4)
		}
		refused := take(t, two, "a") // 14 of 10 are used: without the first 4 it would still be full
		if want := quota.Window / 2; refused.Allowed || refused.Reset != want {
			t.Fatalf("one more: %+v; want a refusal for %v, until the second has left", refused, want)
		}
		c.pass(refused.Reset - time.Nanosecond)
		if d := take(t, one, "a"); d.Allowed {
			t.Fatalf("a moment before Reset: %+v", d)
		}
		c.pass(time.Nanosecond)
		if d := take(t, one, "a"); !d.Allowed || d.Remaining != 4 {
			t.Fatalf("at Reset: %+v; want 4 left", d)
		}
	})
}

// TestNoWindowHoldsMore tries random times: no window, wherever it begins, may
// hold more than the quota, and a subject that stays below it is never refused.
func TestNoWindowHoldsMore(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := limit.NewMemory(c.now)
	random := rand.New(rand.NewPCG(1, 2))
	var allowed []time.Time
	for range 5000 {
		c.pass(time.Duration(random.IntN(300)) * time.Millisecond)
		if take(t, l, "a").Allowed {
			allowed = append(allowed, c.now())
		}
		c.pass(210 * time.Millisecond)
		if d := take(t, l, fmt.Sprint("seldom", c.now().Unix()/1e6)); !d.Allowed {
			t.Fatalf("ten in 2.1 seconds were refused: %+v", d)
		}
	}
	for i := quota.Count; i < len(allowed); i++ {
		if between := allowed[i].Sub(allowed[i-quota.Count]); between < quota.Window {
			t.Fatalf("%d requests were allowed within %v", quota.Count+1, between)
		}
	}
}

func TestLookDoesNotCountARequest(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *clock, one, two limit.Limiter) {
		look := func() limit.Decision {
			t.Helper()
			d, err := two.Look(t.Context(), "a", quota)
			if err != nil {
				t.Fatalf("look: %v", err)
			}
			return d
		}
		if d := look(); !d.Allowed || d.Remaining != 10 || d.Reset != 0 {
			t.Fatalf("before the first request: %+v", d)
		}
		for i := range 10 {
			take(t, one, "a")
			if d := look(); d.Allowed != (i < 9) || d.Remaining != 9-i {
				t.Fatalf("after request %d: %+v", i+1, d)
			}
		}
		c.pass(look().Reset)
		if d := look(); !d.Allowed {
			t.Fatalf("at Reset: %+v", d)
		}
	})
}

func TestALimitHoldsForRequestsAtOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ *clock, one, two limit.Limiter) {
		var allowed atomic.Int32
		var wg sync.WaitGroup
		for i := range 30 {
			l := one
			if i%2 == 1 {
				l = two
			}
			wg.Go(func() {
				d, err := l.Take(t.Context(), "a", quota, 1)
				if err != nil {
					t.Errorf("take: %v", err)
				}
				if d.Allowed {
					allowed.Add(1)
				}
			})
		}
		wg.Wait()
		if allowed.Load() != 10 {
			t.Errorf("%d of 30 were allowed, want 10", allowed.Load())
		}
	})
}

func TestSweep(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *clock, one, two limit.Limiter) {
		for range 10 {
			take(t, one, "a")
		}
		if err := two.Sweep(t.Context()); err != nil {
			t.Fatalf("sweep: %v", err)
		}
		if take(t, one, "a").Allowed {
			t.Fatal("a sweep forgot requests that still count")
		}
		c.pass(time.Hour)
		if err := two.Sweep(t.Context()); err != nil {
			t.Fatalf("sweep: %v", err)
		}
		if d := take(t, one, "a"); !d.Allowed || d.Remaining != 9 {
			t.Fatalf("after the sweep: %+v", d)
		}
	})
}

func TestAClockThatGoesBackGivesNoMoreRequests(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c *clock, one, _ limit.Limiter) {
		for range 5 {
			take(t, one, "a")
		}
		c.pass(-time.Second)
		for i := range 5 {
			if d := take(t, one, "a"); !d.Allowed || d.Remaining != 4-i {
				t.Fatalf("request %d: %+v", i+6, d)
			}
		}
		if take(t, one, "a").Allowed {
			t.Fatal("a clock that went back gave more")
		}
	})
}

package node

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// When a node has ended or is lost, the first one of those that are left follows up on
// it, once, and again if that failed.
func TestOneNodeFollowsUpOnANodeThatIsGone(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &nodeList{t: t, d: d, now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
		var called []string
		failure := errors.New("not now")
		nodes := map[string]*Keeper{}
		for _, name := range []string{"one", "two", "three"} {
			k := s.starts(name, "run of "+name)
			k.OnGone = func(context.Context) error {
				called = append(called, name)
				return failure
			}
			nodes[name] = k
		}
		look := func(when string, want []string, names ...string) {
			t.Helper()
			called = nil
			for _, name := range names {
				if err := nodes[name].keep(t.Context()); err != nil && !errors.Is(err, failure) {
					t.Fatal(err)
				}
			}
			if !slices.Equal(called, want) {
				t.Errorf("%s: %q followed up, want %q", when, called, want)
			}
		}
		look("while all live", nil, "one", "two", "three")
		s.now = s.now.Add(15 * time.Second)
		look("when one has not been seen for long", nil, "two", "three")
		s.now = s.now.Add(time.Second)
		look("when it is lost", []string{"three"}, "two", "three")
		failure = nil
		look("after that failed", []string{"three"}, "two", "three")
		look("after that succeeded", nil, "two", "three")
		err := d.WriteLoosely(t.Context(), func(tx *db.Tx) error { return remove(t.Context(), tx, "three", "run of three") })
		if err != nil {
			t.Fatal(err)
		}
		look("when the next one has ended", []string{"two"}, "two")
	})
}

// A node that stops so soon that the others may not have seen it follows up on itself. If
// there are no others, people come back to the next start.
func TestANodeThatNobodySawFollowsUpOnItself(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := &nodeList{t: t, d: d, now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for _, c := range []struct {
			lived  time.Duration
			others bool
			want   int
		}{{time.Second, false, 0}, {time.Second, true, 1}, {lostAfter, true, 0}} {
			if c.others {
				s.starts("two", "b")
			}
			k, calls := s.starts("one", "a"), 0
			k.OnGone = func(ctx context.Context) error {
				calls++
				return ctx.Err()
			}
			s.now = s.now.Add(c.lived)
			k.Run(ended)
			if calls != c.want || slices.Contains(s.list(), "one ready") {
				t.Errorf("a node that lived for %s (others: %v) followed up %d times, want %d; the list is %q", c.lived, c.others, calls, c.want, s.list())
			}
		}
	})
}

// A node that stops right after another one has started is missed by that one, although
// it has not looked at the list since it joined.
func TestANodeKnowsTheOthersFromItsStart(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := newJoining(t, d)
		old, replacement := p.node("old", ""), p.node("replacement", "")
		p.joins(old)
		followed := 0
		replacement.OnGone = func(context.Context) error {
			followed++
			return nil
		}
		p.joins(replacement)
		err := d.WriteLoosely(t.Context(), func(tx *db.Tx) error { return remove(t.Context(), tx, "old", old.Self.run) })
		if err != nil {
			t.Fatal(err)
		}
		p.keeps(replacement)
		if followed != 1 {
			t.Errorf("the node followed up %d times on the one that has stopped, want once", followed)
		}
	})
}

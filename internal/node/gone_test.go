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

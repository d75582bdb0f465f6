package live_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/live"
)

// In a round, a node compares the rooms of its share, and rooms about which only this
// node knows something, such as that somebody said goodbye.
func TestANodeComparesItsShareOfTheRooms(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := newCompany(t, where)
		mine, other := s.meeting("Mine"), s.meeting("Other")
		s.Tick() // both meetings run, and no hint is left

		var (
			mu       sync.Mutex
			asked    []int
			compared int
		)
		s.Live.Takes = func(roomID string, round int) bool {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, round)
			return roomID == mine.ID
		}
		s.Live.OnCompared = func(live.Compared) {
			mu.Lock()
			defer mu.Unlock()
			compared++
		}
		compares := func(when string, want int) {
			t.Helper()
			mu.Lock()
			asked, compared = nil, 0
			mu.Unlock()
			s.Live.TickShare(t.Context(), 7)
			s.Settle()
			mu.Lock()
			defer mu.Unlock()
			if compared != want || slices.ContainsFunc(asked, func(round int) bool { return round != 7 }) {
				t.Errorf("%s it compares %d rooms, want %d; it was asked about the rounds %v", when, compared, want, asked)
			}
		}
		compares("in a round", 1)
		s.Live.Goodbye(other.ID, "par_x.1")
		s.Settle()
		compares("after a goodbye", 2)
		s.Advance(time.Minute)
		compares("when the goodbye is old", 1)
		s.Live.Takes = func(string, int) bool { return false }
		compares("when it takes none", 0)
	})
}

// A node notices that its rounds stand still when it has missed three of them.
func TestANodeKnowsWhetherItCompares(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := newCompany(t, where)
		if s.Live.Comparing() {
			t.Error("it compares before the first round")
		}
		s.Live.TickShare(t.Context(), 1)
		s.Pass(6 * time.Second)
		if !s.Live.Comparing() {
			t.Error("it does not compare six seconds after a round")
		}
		s.Pass(time.Millisecond)
		if s.Live.Comparing() {
			t.Error("it compares although it missed three rounds")
		}
		s.Live.TickShare(t.Context(), 2)
		if !s.Live.Comparing() {
			t.Error("it does not compare after another round")
		}
	})
}

// A node whose rounds find nothing out, because the database cannot be read, does not
// compare.
func TestANodeThatCannotReadTheDatabaseDoesNotCompare(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := newCompany(t, where)
		s.Live.TickShare(t.Context(), 1)
		s.Pass(10 * time.Second)
		ended, end := context.WithCancel(t.Context())
		end()
		s.Live.TickShare(ended, 2)
		if s.Live.Comparing() {
			t.Error("it compares")
		}
	})
}

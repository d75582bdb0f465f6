package stream

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestOneReadingServesAllFollowers(t *testing.T) {
	t.Parallel()
	var (
		v     views
		reads atomic.Int64
		ask   = func(s *sharedView, revision int64, name string) string {
			got, err := s.at(revision, func() (view, error) {
				reads.Add(1)
				return view{aboutRoom: part{sum: name}}, nil
			})
			if err != nil {
				t.Error(err)
			}
			return got.aboutRoom.sum
		}
		expect = func(what, got, want string, n int64) {
			t.Helper()
			if got != want || reads.Load() != n {
				t.Errorf("%s: got %q after %d readings, want %q after %d", what, got, reads.Load(), want, n)
			}
		}
	)
	first, releaseFirst := v.follow("room")
	second, releaseSecond := v.follow("room")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { ask(first, 1, "one") })
	}
	all.Wait()
	expect("the same revision", ask(second, 1, "other"), "one", 1)
	expect("a later revision", ask(first, 2, "two"), "two", 2)
	expect("a revision that is over", ask(second, 1, "one"), "two", 2)

	failed := errors.New("failed")
	if _, err := first.at(3, func() (view, error) { return view{}, failed }); !errors.Is(err, failed) {
		t.Errorf("a reading that failed: %v", err)
	}
	expect("after a reading that failed", ask(first, 3, "three"), "three", 3)

	other, releaseOther := v.follow("other room")
	expect("another room", ask(other, 3, "elsewhere"), "elsewhere", 4)
	releaseOther()
	releaseFirst()
	third, releaseThird := v.follow("room")
	expect("while a stream follows", ask(third, 3, "again"), "three", 4)
	releaseSecond()
	releaseThird()
	if len(v.rooms) != 0 {
		t.Errorf("%d rooms are kept that nobody follows", len(v.rooms))
	}
}

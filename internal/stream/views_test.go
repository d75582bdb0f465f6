package stream

import (
	"errors"
	"runtime"
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
			got, err := s.at(revision, func(view) (view, error) {
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
	if _, err := first.at(3, func(view) (view, error) { return view{}, failed }); !errors.Is(err, failed) {
		t.Errorf("a reading that failed: %v", err)
	}
	expect("after a reading that failed", ask(first, 3, "three"), "three", 3)

	v.forget()
	expect("an earlier revision, after the database was replaced", ask(first, 2, "two, again"), "two, again", 4)

	other, releaseOther := v.follow("other room")
	expect("another room", ask(other, 3, "elsewhere"), "elsewhere", 5)
	releaseOther()
	releaseFirst()
	third, releaseThird := v.follow("room")
	expect("while a stream follows", ask(third, 2, "once more"), "two, again", 5)
	releaseSecond()
	releaseThird()
	if len(v.rooms) != 0 {
		t.Errorf("%d rooms that nobody follows are kept", len(v.rooms))
	}
}

// A caller that asks during a reading gets the next one, because the change that it
// asks about may have come after the first began. All waiting callers share the next.
func TestAReadingBeginsAfterTheQuestion(t *testing.T) {
	t.Parallel()
	var (
		v       together[int64]
		reads   atomic.Int64
		begun   = make(chan struct{}, 100)
		finish  = make(chan struct{})
		answers sync.Map
		all     sync.WaitGroup
	)
	ask := func(who int) {
		got, err := v.now(func() (int64, error) {
			n := reads.Add(1)
			begun <- struct{}{}
			<-finish
			return n, nil
		})
		if err != nil {
			t.Error(err)
		}
		answers.Store(who, got)
	}
	all.Go(func() { ask(0) })
	<-begun
	all.Go(func() { ask(1) })
	for v.waiting() == nil { // until the second one waits
		runtime.Gosched()
	}
	for who := 2; who < 10; who++ {
		all.Go(func() { ask(who) })
	}
	close(finish)
	all.Wait()
	if got, _ := answers.Load(0); got != int64(1) {
		t.Errorf("the first got reading %v", got)
	}
	for who := 1; who < 10; who++ {
		if got, _ := answers.Load(who); got == int64(1) {
			t.Errorf("%d got a reading that began before the question", who)
		}
	}
	failed := errors.New("failed")
	if _, err := v.now(func() (int64, error) { return 0, failed }); !errors.Is(err, failed) {
		t.Errorf("a reading that failed: %v", err)
	}
	if got, err := v.now(func() (int64, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("after a reading that failed: %d, %v", got, err)
	}
}

func (t *together[T]) waiting() *reading[T] {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next
}

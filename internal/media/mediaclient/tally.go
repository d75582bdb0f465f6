package mediaclient

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/internal/media"
)

// stream is one person's sound or picture, at a receiver.
type stream struct {
	identity string
	source   media.Source
}

// tally counts the frames of others, and wakes the goroutines that wait for
// them.
type tally struct {
	mu            sync.Mutex
	decrypted     map[stream]int
	undecryptable map[stream]int
	first         time.Time     // when a frame could first be decrypted
	changed       chan struct{} // closed and replaced at each change
}

func newTally() *tally {
	return &tally{decrypted: map[stream]int{}, undecryptable: map[stream]int{}, changed: make(chan struct{})}
}

func (t *tally) add(counts map[stream]int, s stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts[s]++
	t.change()
}

// change wakes all waiters; the lock is held.
func (t *tally) change() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// open counts a frame that could be decrypted.
func (t *tally) open(s stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first.IsZero() {
		t.first = time.Now()
	}
	t.decrypted[s]++
	t.change()
}

// opened says when a frame could first be decrypted; zero if none could.
func (t *tally) opened() (time.Time, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first, t.changed
}

// all is the number of frames of everybody.
func (t *tally) all(counts map[stream]int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum
}

// wake wakes all waiters although no frame came.
func (t *tally) wake() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.change()
}

// watch returns a channel that is closed at the next change.
func (t *tally) watch() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

func (t *tally) count(counts map[stream]int, s stream) (int, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return counts[s], t.changed
}

// wait waits until there are n more than now.
func (t *tally) wait(ctx context.Context, counts map[stream]int, s stream, n int) error {
	first, _ := t.count(counts, s)
	for ended := error(nil); ; {
		now, changed := t.count(counts, s)
		switch {
		case now >= first+n:
			return nil
		case ended != nil:
			bad, _ := t.count(t.undecryptable, s)
			good, _ := t.count(t.decrypted, s)
			return fmt.Errorf("frames of %s's %s: waited for %d, got %d (in all %d decrypted, %d undecryptable): %w",
				s.identity, s.source, n, now-first, good, bad, ended)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			ended = context.Cause(ctx)
		}
	}
}

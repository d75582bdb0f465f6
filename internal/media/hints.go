package media

import "sync"

// hintBuffer is how many hints wait for a busy reader.
const hintBuffer = 256

// HintQueue passes hints to a reader and never makes the media server wait:
// when it is full, it drops the oldest hint. A dropped hint does no harm,
// because readers look at the lists in any case.
type HintQueue struct {
	mu sync.Mutex // held while room is made and filled, as one step
	ch chan Hint
}

// NewHintQueue makes an empty queue.
func NewHintQueue() *HintQueue { return &HintQueue{ch: make(chan Hint, hintBuffer)} }

// C returns the channel on which hints arrive.
func (q *HintQueue) C() <-chan Hint { return q.ch }

// Put adds a hint.
func (q *HintQueue) Put(h Hint) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		select {
		case q.ch <- h:
			return
		default:
		}
		select {
		case <-q.ch:
		default:
		}
	}
}

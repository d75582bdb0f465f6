package media

import "sync"

// hintBuffer is how many hints wait for a reader who is busy.
const hintBuffer = 256

// HintQueue carries hints to whoever listens, without ever making the media
// server wait: when it is full, the oldest hint makes room. Nothing is lost by
// that which looking at the lists does not bring back.
type HintQueue struct {
	mu sync.Mutex // one writer at a time, so that making room and filling it are one step
	ch chan Hint
}

// NewHintQueue makes an empty queue.
func NewHintQueue() *HintQueue { return &HintQueue{ch: make(chan Hint, hintBuffer)} }

// C is where hints come out.
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

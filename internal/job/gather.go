package job

import (
	"context"
	"time"
)

// gatherFor is how long the result of a job waits for those of others, to be written
// together: about as long as PostgreSQL needs to write it.
const gatherFor = 2 * time.Millisecond

// gather waits a moment for more results. Without it, a burst would be written in
// turns: one result alone, then many, then one alone again.
func (q *Queue) gather(ctx context.Context) {
	enough := time.NewTimer(gatherFor)
	defer enough.Stop()
	for q.gathering() {
		select {
		case <-ctx.Done():
			return
		case <-enough.C:
			return
		case <-q.poked:
		}
	}
}

// gathering says whether some of the running jobs have results and others do not,
// and no job can be taken before a result is written.
func (q *Queue) gathering() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if with := len(q.finished) + len(q.unwritten); len(q.finished) == 0 || with == len(q.running) {
		return false
	}
	busy := map[string]int{}
	for _, w := range q.running {
		busy[w.Lane]++
	}
	for lane, open := range q.ready {
		if open && busy[lane] < q.Slots && len(q.running) < q.Most {
			return false
		}
	}
	return true
}

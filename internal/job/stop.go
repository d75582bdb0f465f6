package job

import (
	"context"
	"time"
)

// giveBack waits for the running jobs, which have been stopped, writes the
// available results and gives the rest back. One result that cannot be written, or takes
// too long, costs no other job its own.
func (q *Queue) giveBack(ctx context.Context) {
	q.workers.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.LastWrite)
	defer cancel()
	q.mu.Lock()
	results := append(q.finished, q.unwritten...) //nolint:gocritic // neither slice is used again
	q.mu.Unlock()
	if len(results) == 0 {
		return
	}
	err := q.writeSoon(ctx, results)
	if err == nil {
		return
	}
	left := 0
	for _, w := range results { // one of them may be why all were refused
		if failed := q.writeSoon(ctx, []*work{w}); failed != nil {
			err = failed
			left++
		}
	}
	if left > 0 {
		q.Logger.WarnContext(ctx, "the last results of a queue could not be written; the jobs will be done again", "queue", q.Name, "jobs", left, "error", err)
	}
}

// writeSoon writes results within half of the time that ctx still has.
func (q *Queue) writeSoon(ctx context.Context, results []*work) error {
	ends, _ := ctx.Deadline()
	ctx, cancel := context.WithTimeout(ctx, time.Until(ends)/2)
	defer cancel()
	_, err := q.write(ctx, results, nil)
	return err
}

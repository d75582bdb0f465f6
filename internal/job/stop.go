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
	if left, err := q.writeLast(ctx, results); left > 0 {
		q.Logger.WarnContext(ctx, "the last results of a queue could not be written; the jobs will be done again", "queue", q.Name, "jobs", left, "error", err)
	}
}

// writeLast writes results, all at once or, when they are refused, each half of them by
// itself: one of them may be why. The larger parts come first, so that what a slow result
// takes of the time costs few others. It returns how many were not written.
func (q *Queue) writeLast(ctx context.Context, results []*work) (left int, err error) {
	for parts := [][]*work{results}; len(parts) > 0; {
		part := parts[0]
		parts = parts[1:]
		failed := q.writeSoon(ctx, part)
		switch middle := len(part) / 2; {
		case failed == nil:
		case middle == 0 || ctx.Err() != nil:
			left, err = left+len(part), failed
		default:
			parts = append(parts, part[:middle], part[middle:])
		}
	}
	return left, err
}

// writeSoon writes results within half of the time that ctx still has.
func (q *Queue) writeSoon(ctx context.Context, results []*work) error {
	ends, _ := ctx.Deadline()
	ctx, cancel := context.WithTimeout(ctx, time.Until(ends)/2)
	defer cancel()
	_, err := q.write(ctx, results, nil)
	return err
}

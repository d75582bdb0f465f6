package job

import (
	"context"
	"slices"
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

// fewResults is how many results are written at once after more of them took too long.
const fewResults = 16

// writeLast writes results, all at once. If that is refused, it writes each half by
// itself, because one result may be the reason. Larger parts come first, so that the time
// that a slow result takes is missing for few others. Parts that take too long are then
// written few at a time, because half of one may need more time than is left. It returns
// how many results were not written.
func (q *Queue) writeLast(ctx context.Context, results []*work) (left int, err error) {
	for parts := [][]*work{results}; len(parts) > 0; {
		part := parts[0]
		parts = parts[1:]
		late, failed := q.writeSoon(ctx, part)
		size := (len(part) + 1) / 2
		if late {
			size = min(size, fewResults)
		}
		switch {
		case failed == nil:
		case len(part) == 1 || ctx.Err() != nil:
			left, err = left+len(part), failed
		default:
			parts = slices.AppendSeq(parts, slices.Chunk(part, size))
		}
	}
	return left, err
}

// writeSoon writes results within half of the time that ctx still has. late says that
// this time was over.
func (q *Queue) writeSoon(ctx context.Context, results []*work) (late bool, err error) {
	ends, _ := ctx.Deadline()
	ctx, cancel := context.WithTimeout(ctx, time.Until(ends)/2)
	defer cancel()
	_, err = q.write(ctx, results, nil)
	return ctx.Err() != nil, err
}

package job

import (
	"context"
	"maps"
	"slices"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
)

// share assigns the ready lanes as many jobs as they have free slots. When
// there is not room for all, the lanes with the fewest running jobs come first,
// one job at a time: many lanes that are stuck, each with all its slots taken,
// leave the rest to the others.
func share(ready []string, busy map[string]int, slots, room int) map[string]int {
	slices.Sort(ready)
	given := map[string]int{}
	for n := range slots {
		for _, lane := range ready {
			if room > 0 && busy[lane] <= n {
				given[lane]++
				room--
			}
		}
	}
	return given
}

// batch is the jobs that were taken, and the lanes in which more may be due.
type batch struct {
	taken      []Job
	unfinished []string
}

func (q *Queue) take(ctx context.Context, tx *db.Tx, lanes map[string]int) (batch, error) {
	var b batch
	now := q.Now()
	for _, lane := range slices.Sorted(maps.Keys(lanes)) { // the same order on every node, or they would block each other
		free, err := q.freeSlots(ctx, tx, lane)
		if err != nil {
			return batch{}, err
		}
		most := min(lanes[lane], len(free))
		ids, err := q.due(ctx, tx, lane, now, most)
		if err != nil {
			return batch{}, err
		}
		if len(ids) == most {
			b.unfinished = append(b.unfinished, lane)
		}
		for i, jobID := range ids {
			j := Job{ID: jobID, Lane: lane, lease: id.New()}
			got, err := take(ctx, tx, j, free[i], now.Add(leaseFor))
			if err != nil {
				return batch{}, err
			}
			if got {
				b.taken = append(b.taken, j)
			}
		}
	}
	return b, nil
}

package job

import (
	"context"
	"maps"
	"slices"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
)

// share gives the ready lanes as many jobs as they have free slots. When there
// is not room for all, those with the fewest under way come first, one job at a
// time: many that are stuck, each with all its slots taken, leave the rest to
// those that are not.
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

// haul is what was taken, and the lanes in which more may be due.
type haul struct {
	taken      []Job
	unfinished []string
}

func (q *Queue) take(ctx context.Context, tx *db.Tx, lanes map[string]int) (haul, error) {
	var h haul
	now := q.Now()
	for _, lane := range slices.Sorted(maps.Keys(lanes)) { // in one order on every node, or they would block each other
		free, err := q.freeSlots(ctx, tx, lane)
		if err != nil {
			return haul{}, err
		}
		most := min(lanes[lane], len(free))
		ids, err := q.due(ctx, tx, lane, now, most)
		if err != nil {
			return haul{}, err
		}
		if len(ids) == most {
			h.unfinished = append(h.unfinished, lane)
		}
		for i, jobID := range ids {
			j := Job{ID: jobID, Lane: lane, lease: id.New()}
			got, err := take(ctx, tx, j, free[i], now.Add(leaseFor))
			if err != nil {
				return haul{}, err
			}
			if got {
				h.taken = append(h.taken, j)
			}
		}
	}
	return h, nil
}

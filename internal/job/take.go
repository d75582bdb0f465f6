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
// one job at a time. So lanes whose jobs are stuck take no more than their slots,
// and the other lanes get the rest.
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

// batch is the jobs that were taken, and the lanes in which more may be due: those from
// which as many were taken as may be, and those that had no free slot.
type batch struct {
	taken            []Job
	unfinished, full []string
}

// freeLane is a lane from which jobs may be taken, with a slot for each.
type freeLane struct {
	name  string
	slots []int
}

// chosenJob is a job that is about to be taken.
type chosenJob struct {
	Job

	slot int
}

func (q *Queue) take(ctx context.Context, tx *db.Tx, lanes map[string]int) (batch, error) {
	var b batch
	now := q.Now()
	free, err := q.freeLanes(ctx, tx, lanes)
	if err != nil {
		return b, err
	}
	due, err := q.due(ctx, tx, free, now)
	if err != nil {
		return b, err
	}
	var chosen []chosenJob
	chosen, b.unfinished, b.full = choose(due, free)
	held, err := hold(ctx, tx, chosen, now.Add(leaseFor))
	for _, c := range chosen {
		if held[c.lease] {
			b.taken = append(b.taken, c.Job)
		}
	}
	if err != nil || q.Fetch == nil || len(b.taken) == 0 {
		return b, err
	}
	fetched, err := q.Fetch(ctx, tx, b.taken)
	for i, j := range b.taken {
		b.taken[i].Fetched = fetched[j.ID]
	}
	return b, err
}

// freeLanes finds slots of lanes for as many jobs as may be taken from each.
func (q *Queue) freeLanes(ctx context.Context, tx *db.Tx, lanes map[string]int) ([]freeLane, error) {
	names := slices.Sorted(maps.Keys(lanes))
	taken, err := q.takenSlots(ctx, tx, names)
	if err != nil {
		return nil, err
	}
	var found []freeLane
	for _, name := range names {
		lane := freeLane{name: name, slots: nil}
		for slot := range q.Slots {
			if !taken[name][slot] && len(lane.slots) < lanes[name] {
				lane.slots = append(lane.slots, slot)
			}
		}
		found = append(found, lane)
	}
	return found, nil
}

// choose gives due jobs the slots and new leases. It also returns the lanes whose
// free slots are all used, and those that have none, because more of their jobs may
// be due.
func choose(due []Job, free []freeLane) (chosen []chosenJob, unfinished, full []string) {
	of := map[string][]Job{}
	for _, j := range due {
		of[j.Lane] = append(of[j.Lane], j)
	}
	for _, lane := range free {
		jobs := of[lane.name]
		for i, j := range jobs {
			j.lease = id.New()
			chosen = append(chosen, chosenJob{Job: j, slot: lane.slots[i]})
		}
		switch len(lane.slots) {
		case 0:
			full = append(full, lane.name)
		case len(jobs):
			unfinished = append(unfinished, lane.name)
		}
	}
	return chosen, unfinished, full
}

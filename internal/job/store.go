package job

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

func (q *Queue) insert(ctx context.Context, tx *db.Tx, jobs []Job, at time.Time) error {
	for some := range db.Batches(jobs, db.MostRows) {
		args := make([]any, 0, 4*len(some))
		for _, j := range some {
			args = append(args, j.ID, q.Name, j.Lane, at.UnixMilli())
		}
		_, err := tx.Exec(ctx, `INSERT INTO job (id, queue, lane, run_at, slot, lease, lease_until) VALUES `+
			db.Values(1, len(some), "?, ?, ?, ?, NULL, NULL, NULL"), args...)
		if err != nil {
			return fmt.Errorf("add jobs: %w", err)
		}
	}
	return nil
}

// exists says whether a job exists, waiting or held.
func exists(ctx context.Context, tx *db.Tx, id string) (bool, error) {
	var one int
	err := tx.QueryRow(ctx, `SELECT 1 FROM job WHERE id = $1`, id).Scan(&one)
	if errors.Is(err, db.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for a job: %w", err)
	}
	return true, nil
}

// hasten makes a waiting job due earlier.
func hasten(ctx context.Context, tx *db.Tx, id string, at time.Time) error {
	if _, err := tx.Exec(ctx, `UPDATE job SET run_at = $1 WHERE id = $2 AND slot IS NULL AND run_at > $1`, at.UnixMilli(), id); err != nil {
		return fmt.Errorf("hasten a job: %w", err)
	}
	return nil
}

// delete deletes the held jobs of a lane, and up to most waiting ones.
func (q *Queue) delete(ctx context.Context, tx *db.Tx, lane string, most int) (held, waiting []string, err error) {
	waiting, err = db.Query(ctx, tx, text, `DELETE FROM job WHERE id IN (
		SELECT id FROM job WHERE slot IS NULL AND queue = $1 AND lane = $2 ORDER BY run_at, id LIMIT $3) RETURNING id`, q.Name, lane, most)
	if err != nil {
		return nil, nil, fmt.Errorf("drop the waiting jobs of a lane: %w", err)
	}
	held, err = db.Query(ctx, tx, text, `DELETE FROM job WHERE slot IS NOT NULL AND queue = $1 AND lane = $2 RETURNING id`, q.Name, lane)
	if err != nil {
		return nil, nil, fmt.Errorf("drop the jobs of a lane that are under way: %w", err)
	}
	return held, waiting, nil
}

// dueLanes finds the lanes in which a job is due. It skips from lane to lane in
// the index, so that the cost grows with the number of lanes, not of waiting
// jobs.
func (q *Queue) dueLanes(ctx context.Context, tx *db.Tx, now time.Time) ([]string, error) {
	lanes, err := db.Query(ctx, tx, text, `
		WITH RECURSIVE found (lane) AS (
			SELECT MIN(lane) FROM job WHERE slot IS NULL AND queue = $1
			UNION ALL
			SELECT (SELECT MIN(job.lane) FROM job WHERE job.slot IS NULL AND job.queue = $1 AND job.lane > found.lane)
			FROM found WHERE found.lane IS NOT NULL
		)
		SELECT lane FROM found WHERE lane IS NOT NULL
		AND EXISTS (SELECT 1 FROM job WHERE job.slot IS NULL AND job.queue = $1 AND job.lane = found.lane AND job.run_at <= $2)`,
		q.Name, now.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("look for due jobs: %w", err)
	}
	return lanes, nil
}

func text(row db.Scanner) (string, error) {
	var s string
	err := row.Scan(&s)
	return s, err //nolint:wrapcheck // the callers wrap
}

// held are the times until which a job can be held now. On SQLite, a lease that ends
// later was given before the clock was set back. This process renews its own before it
// takes jobs back, and there is no other process. On PostgreSQL there may be another
// process, which has not noticed yet that the clock was set.
func (q *Queue) held(now time.Time) (earliest, latest int64) {
	if q.DB.Engine() == db.SQLite {
		return now.UnixMilli(), now.Add(2 * leaseFor).UnixMilli()
	}
	return now.UnixMilli(), math.MaxInt64
}

// abandoned says whether a lease has ended without being renewed.
func (q *Queue) abandoned(ctx context.Context, tx *db.Tx, now time.Time) (bool, error) {
	var found bool
	earliest, latest := q.held(now)
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM job WHERE slot IS NOT NULL AND queue = $1 AND lease_until NOT BETWEEN $2 AND $3)`,
		q.Name, earliest, latest).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for abandoned jobs: %w", err)
	}
	return found, nil
}

// reclaim returns jobs whose leases have ended to the waiting ones.
func (q *Queue) reclaim(ctx context.Context, tx *db.Tx, now time.Time) (int64, error) {
	earliest, latest := q.held(now)
	n, err := tx.Exec(ctx, `UPDATE job SET slot = NULL WHERE slot IS NOT NULL AND queue = $1 AND lease_until NOT BETWEEN $2 AND $3`, q.Name, earliest, latest)
	if err != nil {
		return 0, fmt.Errorf("take abandoned jobs back: %w", err)
	}
	return n, nil
}

// takenSlots lists the taken slots of lanes.
func (q *Queue) takenSlots(ctx context.Context, tx *db.Tx, lanes []string) (map[string]map[int]bool, error) {
	taken := map[string]map[int]bool{}
	for some := range db.Filled(lanes, db.MostRows) {
		args := []any{q.Name}
		for _, lane := range some {
			args = append(args, lane)
		}
		_, err := db.Query(ctx, tx, func(row db.Scanner) (slot int, err error) {
			var lane string
			err = row.Scan(&lane, &slot)
			if taken[lane] == nil {
				taken[lane] = map[int]bool{}
			}
			taken[lane][slot] = true
			return slot, err //nolint:wrapcheck // wrapped below
		}, `SELECT lane, slot FROM job WHERE slot IS NOT NULL AND queue = $1 AND lane IN (`+db.In(2, len(some))+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("look for free slots: %w", err)
		}
	}
	return taken, nil
}

// mostLanes is how many lanes one query for due jobs covers: it has a part for each
// lane, and the database plans each part.
const mostLanes = 16

// due lists the jobs of each lane that have been due longest, as many as the lane
// has free slots.
func (q *Queue) due(ctx context.Context, tx *db.Tx, lanes []freeLane, now time.Time) ([]Job, error) {
	const ofLane = `SELECT * FROM (SELECT id, lane FROM job WHERE slot IS NULL AND queue = $1 AND run_at <= $2 AND lane = $%d
		ORDER BY run_at, id LIMIT $%d) AS of_lane`
	lanes = slices.DeleteFunc(slices.Clone(lanes), func(lane freeLane) bool { return len(lane.slots) == 0 })
	var found []Job
	for some := range slices.Chunk(lanes, mostLanes) {
		for bits.OnesCount(uint(len(some))) > 1 { // few different texts, as with db.Filled
			some = append(some, freeLane{name: "", slots: nil}) // has no jobs
		}
		args := []any{q.Name, now.UnixMilli()}
		parts := make([]string, len(some))
		for i, lane := range some {
			args = append(args, lane.name, len(lane.slots))
			parts[i] = fmt.Sprintf(ofLane, len(args)-1, len(args))
		}
		jobs, err := db.Query(ctx, tx, func(row db.Scanner) (j Job, err error) { return j, row.Scan(&j.ID, &j.Lane) },
			strings.Join(parts, " UNION ALL "), args...)
		if err != nil {
			return nil, fmt.Errorf("look for due jobs: %w", err)
		}
		found = append(found, jobs...)
	}
	return found, nil
}

// hold puts waiting jobs into the slots that were chosen for them, and returns the leases
// of those that no other process took first. PostgreSQL locks the rows in the order
// of its plan, which is nearly always that of the ids; where those of two nodes
// differ, they may block each other, and one of them begins again.
func hold(ctx context.Context, tx *db.Tx, jobs []chosenJob, until time.Time) (map[string]bool, error) {
	got := map[string]bool{}
	jobs = slices.SortedFunc(slices.Values(jobs), func(a, b chosenJob) int { return strings.Compare(a.ID, b.ID) })
	for some := range db.Filled(jobs, db.MostRows) {
		args := []any{until.UnixMilli()}
		for _, j := range some {
			args = append(args, j.ID, j.slot, j.lease)
		}
		leases, err := db.Query(ctx, tx, text, `UPDATE job SET slot = chosen.column2, lease = chosen.column3, lease_until = $1
			FROM (VALUES `+db.Values(2, len(some), "?, CAST(? AS BIGINT), ?")+`) AS chosen
			WHERE job.id = chosen.column1 AND job.slot IS NULL RETURNING job.lease`, args...)
		if err != nil {
			return nil, fmt.Errorf("take jobs: %w", err)
		}
		collect(got, leases)
	}
	return got, nil
}

// renew renews leases, and returns those that still were this process's.
func renew(ctx context.Context, tx *db.Tx, jobs []*work, until time.Time) (map[string]bool, error) {
	ours := map[string]bool{}
	for some := range db.Filled(jobs, db.MostRows) {
		leases, err := db.Query(ctx, tx, text, `UPDATE job SET lease_until = $1 WHERE id IN (`+db.In(2, len(some))+`) AND lease IN (`+
			db.In(2+len(some), len(some))+`) AND slot IS NOT NULL RETURNING lease`, append([]any{until.UnixMilli()}, idsAndLeases(some)...)...)
		if err != nil {
			return nil, fmt.Errorf("renew leases: %w", err)
		}
		collect(ours, leases)
	}
	return ours, nil
}

// end deletes jobs that are done, and returns the leases of those that this
// process still held. After its lease has ended, a process still holds a job that
// no other one has taken.
func end(ctx context.Context, tx *db.Tx, jobs []*work) (map[string]bool, error) {
	ours := map[string]bool{}
	for some := range db.Filled(jobs, db.MostRows) {
		leases, err := db.Query(ctx, tx, text, `DELETE FROM job WHERE id IN (`+db.In(1, len(some))+`) AND lease IN (`+
			db.In(1+len(some), len(some))+`) RETURNING lease`, idsAndLeases(some)...)
		if err != nil {
			return nil, fmt.Errorf("end jobs: %w", err)
		}
		collect(ours, leases)
	}
	return ours, nil
}

// giveUp makes held jobs wait for any process, and returns the leases of those that this
// process still held.
func giveUp(ctx context.Context, tx *db.Tx, jobs []*work) (map[string]bool, error) {
	ours := map[string]bool{}
	for some := range db.Filled(jobs, db.MostRows) {
		leases, err := db.Query(ctx, tx, text, `UPDATE job SET slot = NULL WHERE id IN (`+db.In(1, len(some))+`) AND lease IN (`+
			db.In(1+len(some), len(some))+`) RETURNING lease`, idsAndLeases(some)...)
		if err != nil {
			return nil, fmt.Errorf("give jobs back: %w", err)
		}
		collect(ours, leases)
	}
	return ours, nil
}

// idsAndLeases are the parameters that find jobs while this process holds them. A
// lease belongs to one job only, so a row with one of the ids and one of the
// leases has those of the same job.
func idsAndLeases(jobs []*work) []any {
	args := make([]any, 2*len(jobs))
	for i, w := range jobs {
		args[i], args[len(jobs)+i] = w.ID, w.lease
	}
	return args
}

func collect(in map[string]bool, leases []string) {
	for _, lease := range leases {
		in[lease] = true
	}
}

// postpone makes a held job wait until later; it returns false when this process no
// longer holds the job.
func postpone(ctx context.Context, tx *db.Tx, j Job, until time.Time) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE job SET slot = NULL, run_at = $3 WHERE id = $1 AND lease = $2`, j.ID, j.lease, until.UnixMilli())
	if err != nil {
		return false, fmt.Errorf("postpone a job: %w", err)
	}
	return n == 1, nil
}

// holds says whether no other process has taken a job since.
func holds(ctx context.Context, tx *db.Tx, j Job) (bool, error) {
	var held bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM job WHERE id = $1 AND lease = $2 AND slot IS NOT NULL)`, j.ID, j.lease).Scan(&held)
	if err != nil {
		return false, fmt.Errorf("check who holds a job: %w", err)
	}
	return held, nil
}

// Due are the jobs of a queue that are due and not taken yet.
type Due struct {
	Queue  string
	Jobs   int64
	Oldest time.Time // since when the oldest has been due
}

// Census counts what is due in all queues, on all nodes.
func Census(ctx context.Context, tx *db.Tx, now time.Time) ([]Due, error) {
	queues, err := db.Query(ctx, tx, func(row db.Scanner) (d Due, err error) {
		var oldest int64
		err = row.Scan(&d.Queue, &d.Jobs, &oldest)
		d.Oldest = db.At(oldest)
		return d, err //nolint:wrapcheck // wrapped below
	}, `SELECT queue, COUNT(*), MIN(run_at) FROM job WHERE slot IS NULL AND run_at <= $1 GROUP BY queue`, now.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	return queues, nil
}

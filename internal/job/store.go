package job

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

func (q *Queue) insert(ctx context.Context, tx *db.Tx, id, lane string, at time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO job (id, queue, lane, run_at, slot, lease, lease_until) VALUES ($1, $2, $3, $4, NULL, NULL, NULL)`,
		id, q.Name, lane, at.UnixMilli())
	if err != nil {
		return fmt.Errorf("add a job: %w", err)
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

func number(row db.Scanner) (int64, error) {
	var n int64
	err := row.Scan(&n)
	return n, err //nolint:wrapcheck // the callers wrap
}

// abandoned says whether a lease has ended without being renewed.
func (q *Queue) abandoned(ctx context.Context, tx *db.Tx, now time.Time) (bool, error) {
	var found bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM job WHERE slot IS NOT NULL AND queue = $1 AND lease_until < $2)`,
		q.Name, now.UnixMilli()).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for abandoned jobs: %w", err)
	}
	return found, nil
}

// reclaim makes jobs wait again whose leases have ended.
func (q *Queue) reclaim(ctx context.Context, tx *db.Tx, now time.Time) (int64, error) {
	n, err := tx.Exec(ctx, `UPDATE job SET slot = NULL WHERE slot IS NOT NULL AND queue = $1 AND lease_until < $2`, q.Name, now.UnixMilli())
	if err != nil {
		return 0, fmt.Errorf("take abandoned jobs back: %w", err)
	}
	return n, nil
}

// freeSlots lists the free slots of a lane.
func (q *Queue) freeSlots(ctx context.Context, tx *db.Tx, lane string) ([]int, error) {
	taken, err := db.Query(ctx, tx, number, `SELECT slot FROM job WHERE slot IS NOT NULL AND queue = $1 AND lane = $2`, q.Name, lane)
	if err != nil {
		return nil, fmt.Errorf("look for free slots: %w", err)
	}
	used := map[int64]bool{}
	for _, slot := range taken {
		used[slot] = true
	}
	var free []int
	for slot := range q.Slots {
		if !used[int64(slot)] {
			free = append(free, slot)
		}
	}
	return free, nil
}

// due lists the due jobs of a lane, the longest due first.
func (q *Queue) due(ctx context.Context, tx *db.Tx, lane string, now time.Time, limit int) ([]string, error) {
	ids, err := db.Query(ctx, tx, text, `SELECT id FROM job WHERE slot IS NULL AND queue = $1 AND lane = $2 AND run_at <= $3 ORDER BY run_at, id LIMIT $4`,
		q.Name, lane, now.UnixMilli(), limit)
	if err != nil {
		return nil, fmt.Errorf("look for due jobs: %w", err)
	}
	return ids, nil
}

// take puts a waiting job into a slot; it returns false when another process
// was faster.
func take(ctx context.Context, tx *db.Tx, j Job, slot int, until time.Time) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE job SET slot = $1, lease = $2, lease_until = $3 WHERE id = $4 AND slot IS NULL`,
		slot, j.lease, until.UnixMilli(), j.ID)
	if err != nil {
		return false, fmt.Errorf("take a job: %w", err)
	}
	return n == 1, nil
}

// renew renews a lease; it returns false when this process no longer holds the
// job.
func renew(ctx context.Context, tx *db.Tx, j Job, until time.Time) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE job SET lease_until = $1 WHERE id = $2 AND lease = $3 AND slot IS NOT NULL`, until.UnixMilli(), j.ID, j.lease)
	if err != nil {
		return false, fmt.Errorf("renew a lease: %w", err)
	}
	return n == 1, nil
}

// settle writes the outcome of a job; it returns false when this process no
// longer holds the job. After its lease has ended, a process still holds a job
// that no other one has taken.
func settle(ctx context.Context, tx *db.Tx, j Job, r Result) (bool, error) {
	query, args := `DELETE FROM job WHERE id = $1 AND lease = $2`, []any{j.ID, j.lease}
	switch r.fate {
	case again:
		query, args = `UPDATE job SET slot = NULL, run_at = $3 WHERE id = $1 AND lease = $2`, append(args, r.at.UnixMilli())
	case back:
		query = `UPDATE job SET slot = NULL WHERE id = $1 AND lease = $2`
	case done:
	}
	n, err := tx.Exec(ctx, query, args...)
	if err != nil {
		return false, fmt.Errorf("end a job: %w", err)
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

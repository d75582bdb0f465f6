package schedule

import (
	"context"
	"fmt"
	"math"

	"github.com/conclave-rooms/conclave/internal/db"
)

// revision returns how often the times of a workspace's series have changed.
func revision(ctx context.Context, tx *db.Tx, workspaceID string) (int64, error) {
	var n int64
	err := tx.QueryRow(ctx, `SELECT COALESCE((SELECT revision FROM schedule_revision WHERE workspace_id = $1), 0)`, workspaceID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("read the revision of a workspace's series: %w", err)
	}
	return n, nil
}

// raiseRevision counts a change of a series' times and returns the new revision.
func raiseRevision(ctx context.Context, tx *db.Tx, workspaceID string) (int64, error) {
	var n int64
	err := tx.QueryRow(ctx, `INSERT INTO schedule_revision (workspace_id, revision) VALUES ($1, 1)
		ON CONFLICT (workspace_id) DO UPDATE SET revision = schedule_revision.revision + 1 RETURNING revision`, workspaceID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("raise the revision of a workspace's series: %w", err)
	}
	return n, nil
}

// move is a change of the times of a series, or its end as one.
type move struct {
	series

	gone bool // the series was cancelled or no longer repeats
}

// moves reads the series whose times changed since a revision; with since 0, every
// series.
func moves(ctx context.Context, tx *db.Tx, z *zones, workspaceID string, since int64) ([]move, error) {
	scan := func(row db.Scanner) (move, error) {
		var (
			m            move
			every, name  string
			starts, ends moment
			until        moment
		)
		if err := row.Scan(&m.id, &every, &starts, &ends, &until, &name, &m.gone); err != nil {
			return move{}, err //nolint:wrapcheck // wrapped below
		}
		zone, err := z.load(name)
		m.rule = newRule(every, starts, ends, until, zone)
		return m, err
	}
	found, err := db.Query(ctx, tx, scan, `SELECT id, recurrence, starts_at, ends_at, COALESCE(recurrence_until, $3), COALESCE(timezone, ''),
		deleted_at IS NOT NULL OR recurrence = 'none' FROM scheduled_meeting WHERE workspace_id = $1 AND revision > $2 AND revision > 0`,
		workspaceID, since, int64(math.MaxInt64))
	if err != nil {
		return nil, fmt.Errorf("read the series of a workspace: %w", err)
	}
	return found, nil
}

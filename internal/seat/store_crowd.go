package seat

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// CountWaiting counts the people who wait before a room, and those of one
// network among them.
func CountWaiting(ctx context.Context, tx *db.Tx, roomID, network string) (all, theirs int, err error) {
	err = tx.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM seat WHERE room_id = $1 AND status IN ('waiting', 'early')),
		(SELECT count(*) FROM seat WHERE room_id = $1 AND network = $2 AND status IN ('new', 'waiting', 'early') AND status <> 'new')`,
		roomID, network).Scan(&all, &theirs)
	if err != nil {
		return 0, 0, fmt.Errorf("count who waits: %w", err)
	}
	return all, theirs, nil
}

// CountUnused counts the seats of a room that were given and not used, and those
// of one network among them.
func CountUnused(ctx context.Context, tx *db.Tx, roomID, network string, now time.Time) (all, theirs int, err error) {
	// Both conditions on the status for one network: SQLite uses an index with a
	// condition only where the query has the very same one.
	err = tx.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM seat WHERE room_id = $1 AND status = 'new' AND admitted_at > $2),
		(SELECT count(*) FROM seat WHERE room_id = $1 AND network = $3 AND status IN ('new', 'waiting', 'early') AND status = 'new' AND admitted_at > $2)`,
		roomID, now.Add(-unusedFor).UnixMilli(), network).Scan(&all, &theirs)
	if err != nil {
		return 0, 0, fmt.Errorf("count who was let through: %w", err)
	}
	return all, theirs, nil
}

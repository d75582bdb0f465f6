package live

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
)

// refuseCrowd refuses one more person before a room where the most wait
// already, or the most of their network.
func refuseCrowd(ctx context.Context, tx *db.Tx, roomID, network string) error {
	c := crowded{most: mostWaiting}
	err := tx.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM seat WHERE room_id = $1 AND status IN ('waiting', 'early')),
		(SELECT count(*) FROM seat WHERE room_id = $1 AND network = $2 AND status IN ('new', 'waiting', 'early') AND status <> 'new')`,
		roomID, network).Scan(&c.all, &c.theirs)
	if err != nil {
		return fmt.Errorf("count who waits: %w", err)
	}
	return c.refuse(network, "waiting to join")
}

// refuseUnused refuses one more seat in a room where the most were given and
// not taken, or the most of their network. It says so to strangers and
// accounts, who come as often as they like: tokens and links are as many as the
// company hands out, and hosts are not to be kept out of a room that somebody
// floods.
func refuseUnused(ctx context.Context, tx *db.Tx, roomID string, e Entry, now time.Time) error {
	if e.Role == api.RoleHost || e.Kind != KindGuest && e.Kind != KindUser {
		return nil
	}
	c := crowded{most: mostUnused}
	// Both conditions on the status: SQLite uses an index with a condition only
	// where the query has the very same one.
	err := tx.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM seat WHERE room_id = $1 AND status IN ('new', 'in', 'lost') AND status = 'new' AND admitted_at > $2),
		(SELECT count(*) FROM seat WHERE room_id = $1 AND network = $3 AND status IN ('new', 'waiting', 'early') AND status = 'new' AND admitted_at > $2)`,
		roomID, now.Add(-unusedFor).UnixMilli(), e.Network).Scan(&c.all, &c.theirs)
	if err != nil {
		return fmt.Errorf("count who was let through: %w", err)
	}
	return c.refuse(e.Network, "about to join")
}

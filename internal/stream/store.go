package stream

import (
	"context"
	"errors"
	"fmt"

	"github.com/conclave-rooms/conclave/internal/db"
)

// revision reads how often the room's parts have changed; 0 before anybody was let
// in.
func revision(ctx context.Context, tx *db.Tx, roomID string) (int64, error) {
	var n int64
	err := tx.QueryRow(ctx, `SELECT revision FROM live_room WHERE room_id = $1`, roomID).Scan(&n)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return 0, fmt.Errorf("read the room's revision: %w", err)
	}
	return n, nil
}

// bump raises the room's revision, so that devices which follow the room read
// it again.
func bump(ctx context.Context, tx *db.Tx, roomID string) error {
	_, err := tx.Exec(ctx, `INSERT INTO live_room (room_id, passphrase, passphrase_until, revision) VALUES ($1, '', 0, 1)
		ON CONFLICT (room_id) DO UPDATE SET revision = live_room.revision + 1`, roomID)
	if err != nil {
		return fmt.Errorf("raise the room's revision: %w", err)
	}
	return nil
}

package seat

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Key names a seat.
type Key struct{ RoomID, Identity string }

// Old are seats that can be deleted: those that a condition describes, and whose
// holder was last let through before a moment.
type Old struct {
	where  string // with $1 for the moment
	before time.Time
}

// LongOver are the seats to which nobody can come back, and whose holder was last let
// through and in before a moment.
func LongOver(before time.Time) Old {
	return Old{`status IN ('new', 'left', 'removed', 'over', 'denied', 'expired') AND admitted_at < $1 AND (left_at IS NULL OR left_at < $1)`, before}
}

// NeverUsed are the seats that were given and not used for unusedFor. If a host admitted
// the person or made them co-host, the seat is kept as long as seats that were used.
func NeverUsed(now time.Time) Old {
	return Old{`status = 'new' AND NOT admitted AND NOT cohost AND admitted_at < $1`, now.Add(-unusedFor)}
}

// Find finds up to many of them.
func (o Old) Find(ctx context.Context, tx *db.Tx, many int) ([]Key, error) {
	scan := func(row db.Scanner) (k Key, err error) {
		err = row.Scan(&k.RoomID, &k.Identity)
		return k, err //nolint:wrapcheck // Find adds what was read
	}
	keys, err := db.Query(ctx, tx, scan, `SELECT room_id, identity FROM seat WHERE `+o.where+` LIMIT $2`, o.before.UnixMilli(), many)
	if err != nil {
		return nil, fmt.Errorf("find old seats: %w", err)
	}
	return keys, nil
}

// Delete deletes the given seats with their aliases, except those that were used
// again. It does so one by one, because SQLite finds no index for a list of
// pairs.
func (o Old) Delete(ctx context.Context, tx *db.Tx, keys []Key) error {
	for _, k := range keys {
		n, err := tx.Exec(ctx, `DELETE FROM seat WHERE room_id = $2 AND identity = $3 AND `+o.where, o.before.UnixMilli(), k.RoomID, k.Identity)
		if err != nil {
			return fmt.Errorf("delete an old seat: %w", err)
		}
		if n == 0 {
			continue
		}
		if err := deleteAlias(ctx, tx, k); err != nil {
			return err
		}
	}
	return nil
}

// Delete deletes a seat with its alias.
func Delete(ctx context.Context, tx *db.Tx, k Key) error {
	if _, err := tx.Exec(ctx, `DELETE FROM seat WHERE room_id = $1 AND identity = $2`, k.RoomID, k.Identity); err != nil {
		return fmt.Errorf("delete a seat: %w", err)
	}
	return deleteAlias(ctx, tx, k)
}

package mediaroom

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Breakout is what the service remembers of a breakout's media room.
type Breakout struct {
	ID       string    // the breakout's
	ClosedAt time.Time // zero while the breakout is open
}

// Breakouts reads the media rooms of a room's breakouts, also of those that were
// closed a moment ago.
func Breakouts(ctx context.Context, tx *db.Tx, roomID string) ([]Breakout, error) {
	rooms, err := db.Query(ctx, tx, func(s db.Scanner) (Breakout, error) {
		var (
			m      Breakout
			closed db.Null[int64]
		)
		err := s.Scan(&m.ID, &closed)
		m.ClosedAt = db.Time(closed)
		return m, err //nolint:wrapcheck // wrapped below
	}, `SELECT breakout_id, closed_at FROM breakout_media WHERE room_id = $1 ORDER BY breakout_id`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read the media rooms: %w", err)
	}
	return rooms, nil
}

// WithClosed is a query for the rooms whose closed breakouts may still have a media
// room.
const WithClosed = `SELECT room_id FROM breakout_media WHERE closed_at IS NOT NULL`

// Open notes a breakout. Its media room and its passphrase are made for the first
// person who goes there.
func Open(ctx context.Context, tx *db.Tx, roomID, breakoutID string) error {
	_, err := tx.Exec(ctx, `INSERT INTO breakout_media (breakout_id, room_id, passphrase) VALUES ($1, $2, '')`, breakoutID, roomID)
	if err != nil {
		return fmt.Errorf("note the media room of a breakout: %w", err)
	}
	return nil
}

// Close notes that a breakout is closed, and forgets its passphrase, because nobody may
// enter it any more.
func Close(ctx context.Context, tx *db.Tx, breakoutID string, at time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE breakout_media SET closed_at = $1, passphrase = '' WHERE breakout_id = $2 AND closed_at IS NULL`, at.UnixMilli(), breakoutID)
	if err != nil {
		return fmt.Errorf("close a breakout: %w", err)
	}
	return nil
}

// Forget forgets a closed breakout, when its media room is gone.
func Forget(ctx context.Context, tx *db.Tx, breakoutID string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM breakout_media WHERE breakout_id = $1`, breakoutID); err != nil {
		return fmt.Errorf("forget a closed breakout: %w", err)
	}
	return nil
}

package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// mediaOf reads the media rooms of a room's breakouts, also of those that were
// closed a moment ago.
func mediaOf(ctx context.Context, tx *db.Tx, roomID string) ([]breakoutMedia, error) {
	rooms, err := db.Query(ctx, tx, func(s db.Scanner) (breakoutMedia, error) {
		var (
			m      breakoutMedia
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

func insertMedia(ctx context.Context, tx *db.Tx, roomID, breakoutID string) error {
	_, err := tx.Exec(ctx, `INSERT INTO breakout_media (breakout_id, room_id, passphrase) VALUES ($1, $2, '')`, breakoutID, roomID)
	if err != nil {
		return fmt.Errorf("note the media room of a breakout: %w", err)
	}
	return nil
}

// closeMedia notes that a breakout is closed, and forgets its passphrase, because
// nobody may enter it any more.
func closeMedia(ctx context.Context, tx *db.Tx, breakoutID string, at time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE breakout_media SET closed_at = $1, passphrase = '' WHERE breakout_id = $2 AND closed_at IS NULL`, at.UnixMilli(), breakoutID)
	if err != nil {
		return fmt.Errorf("close a breakout: %w", err)
	}
	return nil
}

func deleteMedia(ctx context.Context, tx *db.Tx, breakoutID string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM breakout_media WHERE breakout_id = $1`, breakoutID); err != nil {
		return fmt.Errorf("forget a closed breakout: %w", err)
	}
	return nil
}

func saveBreakoutPassphrase(ctx context.Context, tx *db.Tx, breakoutID, sealed string) error {
	if _, err := tx.Exec(ctx, `UPDATE breakout_media SET passphrase = $1 WHERE breakout_id = $2 AND closed_at IS NULL`, sealed, breakoutID); err != nil {
		return fmt.Errorf("keep a breakout's passphrase: %w", err)
	}
	return nil
}

// sealedBreakoutPassphrase reads the passphrase of an open breakout; "" before the
// first token for it.
func sealedBreakoutPassphrase(ctx context.Context, tx *db.Tx, breakoutID string) (string, error) {
	var sealed string
	err := tx.QueryRow(ctx, `SELECT passphrase FROM breakout_media WHERE breakout_id = $1 AND closed_at IS NULL`, breakoutID).Scan(&sealed)
	if errors.Is(err, db.ErrNoRows) {
		return "", fault.Missing()
	}
	if err != nil {
		return "", fmt.Errorf("read a breakout's passphrase: %w", err)
	}
	return sealed, nil
}

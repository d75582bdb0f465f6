package mediaroom

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
)

// readPassphrase returns a room's sealed passphrase and until when tokens carry
// it; "" when the room has none yet.
func readPassphrase(ctx context.Context, tx *db.Tx, roomID string) (string, time.Time, error) {
	var (
		sealed string
		until  int64
	)
	err := tx.QueryRow(ctx, `SELECT passphrase, passphrase_until FROM live_room WHERE room_id = $1`, roomID).Scan(&sealed, &until)
	if errors.Is(err, db.ErrNoRows) {
		return "", time.Time{}, nil
	}
	if err != nil {
		return "", time.Time{}, fmt.Errorf("read the passphrase: %w", err)
	}
	return sealed, db.At(until), nil
}

// passphraseBeside reads a room's sealed passphrase together with the room. until is in
// milliseconds, and both are null when the room has none yet.
func passphraseBeside(sealed *db.Null[string], until *db.Null[int64]) room.Beside {
	return room.Beside{Table: "live_room", Columns: "passphrase, passphrase_until", Into: []any{sealed, until}}
}

func extendPassphrase(ctx context.Context, tx *db.Tx, roomID string, until time.Time) error {
	if _, err := tx.Exec(ctx, `UPDATE live_room SET passphrase_until = $1 WHERE room_id = $2`, until.UnixMilli(), roomID); err != nil {
		return fmt.Errorf("note until when a token carries the passphrase: %w", err)
	}
	return nil
}

func replacePassphrase(ctx context.Context, tx *db.Tx, roomID, sealed string, until time.Time) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO live_room (room_id, passphrase, passphrase_until, revision) VALUES ($1, $2, $3, 0)
		ON CONFLICT (room_id) DO UPDATE SET passphrase = excluded.passphrase, passphrase_until = excluded.passphrase_until`,
		roomID, sealed, until.UnixMilli())
	if err != nil {
		return fmt.Errorf("keep the passphrase: %w", err)
	}
	return nil
}

// DeletePassphrase deletes the passphrase of a room that is deleted.
func DeletePassphrase(ctx context.Context, tx *db.Tx, roomID string) error {
	if _, err := tx.Exec(ctx, `UPDATE live_room SET passphrase = '', passphrase_until = 0 WHERE room_id = $1`, roomID); err != nil {
		return fmt.Errorf("delete the passphrase: %w", err)
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

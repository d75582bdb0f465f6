package group

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/conclave-rooms/conclave/internal/db"
)

func insertEntry(ctx context.Context, tx *db.Tx, p place, e entry) error {
	adds, err := json.Marshal(e.Said.Adds)
	if err != nil {
		return fmt.Errorf("write the devices that a commit adds: %w", err)
	}
	removes, err := json.Marshal(e.Said.Removes)
	if err != nil {
		return fmt.Errorf("write the devices that a commit removes: %w", err)
	}
	_, err = tx.Exec(ctx, `INSERT INTO group_commit (room_id, breakout_id, seq, epoch, message, welcome, author, epoch_check, link, adds, removes, made_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		p.RoomID, p.BreakoutID, e.Seq, e.Epoch, e.Message, e.Welcome, e.Author, e.Said.Check, e.Said.Link, string(adds), string(removes), e.MadeAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("write a commit: %w", err)
	}
	return nil
}

// readLog reads commits from a number on.
func readLog(ctx context.Context, tx *db.Tx, p place, from int64, many int) ([]entry, error) {
	log, err := db.Query(ctx, tx, scanEntry, `SELECT seq, epoch, message, welcome, epoch_check, link, adds, removes FROM group_commit WHERE room_id = $1 AND breakout_id = $2 AND seq >= $3 ORDER BY seq LIMIT $4`,
		p.RoomID, p.BreakoutID, from, many)
	if err != nil {
		return nil, fmt.Errorf("read commits: %w", err)
	}
	return log, nil
}

func scanEntry(s db.Scanner) (entry, error) {
	var (
		e             entry
		adds, removes string
	)
	if err := s.Scan(&e.Seq, &e.Epoch, &e.Message, &e.Welcome, &e.Said.Check, &e.Said.Link, &adds, &removes); err != nil {
		return e, err //nolint:wrapcheck // readLog says what it looked for
	}
	if err := json.Unmarshal([]byte(adds), &e.Said.Adds); err != nil {
		return e, fmt.Errorf("read the devices that a commit adds: %w", err)
	}
	if err := json.Unmarshal([]byte(removes), &e.Said.Removes); err != nil {
		return e, fmt.Errorf("read the devices that a commit removes: %w", err)
	}
	return e, nil
}

// authorOf reads which device made the commit with a number; "" when it is not kept.
func authorOf(ctx context.Context, tx *db.Tx, p place, seq int64) (author string, err error) {
	err = tx.QueryRow(ctx, `SELECT author FROM group_commit WHERE room_id = $1 AND breakout_id = $2 AND seq = $3`,
		p.RoomID, p.BreakoutID, seq).Scan(&author)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return "", fmt.Errorf("read who made a commit: %w", err)
	}
	return author, nil
}

// sizesOf reads how large the commits of a place are, newest first. For OCTET_LENGTH,
// unlike LENGTH, neither database reads the texts.
func sizesOf(ctx context.Context, tx *db.Tx, p place) ([]size, error) {
	sizes, err := db.Query(ctx, tx, scanSize,
		`SELECT seq, OCTET_LENGTH(message) + OCTET_LENGTH(welcome) + OCTET_LENGTH(adds) + OCTET_LENGTH(removes), made_at FROM group_commit WHERE room_id = $1 AND breakout_id = $2 ORDER BY seq DESC`,
		p.RoomID, p.BreakoutID)
	if err != nil {
		return nil, fmt.Errorf("measure commits: %w", err)
	}
	return sizes, nil
}

func scanSize(s db.Scanner) (size, error) {
	var (
		n      size
		madeAt int64
	)
	err := s.Scan(&n.seq, &n.bytes, &madeAt)
	n.madeAt = db.At(madeAt)
	return n, err //nolint:wrapcheck // sizesOf says what it looked for
}

// deleteUpTo deletes the commits of a place up to a number.
func deleteUpTo(ctx context.Context, tx *db.Tx, p place, seq int64) error {
	_, err := tx.Exec(ctx, `DELETE FROM group_commit WHERE room_id = $1 AND breakout_id = $2 AND seq <= $3`, p.RoomID, p.BreakoutID, seq)
	if err != nil {
		return fmt.Errorf("delete commits: %w", err)
	}
	return nil
}

package recording

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// readPart reads a stored part; nil when there is none.
func readPart(ctx context.Context, tx *db.Tx, recordingID string, number int) (*Part, error) {
	p := Part{RecordingID: recordingID, Number: number}
	var ends, stored int64
	err := tx.QueryRow(ctx, `SELECT bytes, sha256, piece, ends_ms, stored_at FROM recording_part WHERE recording_id = $1 AND number = $2`, recordingID, number).
		Scan(&p.Bytes, &p.SHA256, &p.Piece, &ends, &stored)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // no part is an answer, not an error
	}
	if err != nil {
		return nil, fmt.Errorf("read a part of a recording: %w", err)
	}
	p.Ends, p.StoredAt = time.Duration(ends)*time.Millisecond, db.At(stored)
	return &p, nil
}

func insertPart(ctx context.Context, tx *db.Tx, p Part) error {
	_, err := tx.Exec(ctx, `INSERT INTO recording_part (recording_id, number, bytes, sha256, piece, ends_ms, stored_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		p.RecordingID, p.Number, p.Bytes, p.SHA256, p.Piece, p.Ends.Milliseconds(), p.StoredAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("store a part of a recording: %w", err)
	}
	return nil
}

// deleteParts deletes the rows of a recording's parts.
func deleteParts(ctx context.Context, tx *db.Tx, recordingID string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM recording_part WHERE recording_id = $1`, recordingID); err != nil {
		return fmt.Errorf("delete the parts of a recording: %w", err)
	}
	return nil
}

// keysOf reads the keys of a recording's parts, from the lowest to the highest number
// among the pieces.
func keysOf(ctx context.Context, tx *db.Tx, recordingID string, pieces []piece) (map[string]bool, error) {
	first, last := pieces[0].number, pieces[0].number
	for _, p := range pieces {
		first, last = min(first, p.number), max(last, p.number)
	}
	parts, err := db.Query(ctx, tx, func(s db.Scanner) (Part, error) {
		p := Part{RecordingID: recordingID}
		err := s.Scan(&p.Number, &p.Piece)
		return p, err
	}, `SELECT number, piece FROM recording_part WHERE recording_id = $1 AND number >= $2 AND number <= $3`, recordingID, first, last)
	if err != nil {
		return nil, fmt.Errorf("read the keys of a recording's parts: %w", err)
	}
	keys := make(map[string]bool, len(parts))
	for _, p := range parts {
		keys[p.key()] = true
	}
	return keys, nil
}

package recording

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

const columns = `id, workspace_id, room_id, breakout_id, meeting_id, title, status, visibility, protection, mime_type, parts, bytes, duration_ms,
	expected, sealed_key, upload_hash, recorder, recorder_name, made_by, started_at, ended_at,
	noticed_at, heard_at, index_piece, index_bytes, deleted_at`

func scan(s db.Scanner) (Recording, error) {
	var (
		r                                 Recording
		duration, started, heard          int64
		expected, ended, noticed, deleted db.Null[int64]
		key, madeBy, index                db.Null[string]
	)
	err := s.Scan(&r.ID, &r.WorkspaceID, &r.RoomID, &r.BreakoutID, &r.MeetingID, &r.Title, &r.Status, &r.Visibility, &r.Protection, &r.MIMEType,
		&r.Parts, &r.Bytes, &duration, &expected, &key, &r.UploadHash, &r.Recorder, &r.RecorderName, &madeBy, &started, &ended,
		&noticed, &heard, &index, &r.IndexBytes, &deleted)
	if err != nil {
		return Recording{}, err //nolint:wrapcheck // the callers say what they looked for
	}
	r.Duration = time.Duration(duration) * time.Millisecond
	if expected.Valid {
		n := int(expected.V)
		r.Expected = &n
	}
	r.SealedKey, r.MadeBy, r.IndexPiece = key.V, madeBy.V, index.V
	r.StartedAt, r.HeardAt = db.At(started), db.At(heard)
	r.EndedAt, r.NoticedAt, r.DeletedAt = db.Time(ended), db.Time(noticed), db.Time(deleted)
	return r, nil
}

func one(row *db.Row) (*Recording, error) {
	r, err := scan(row)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // no recording is an answer, not an error
	}
	if err != nil {
		return nil, fmt.Errorf("read a recording: %w", err)
	}
	return &r, nil
}

// byID reads a recording, deleted or not.
func byID(ctx context.Context, tx *db.Tx, recordingID string) (*Recording, error) {
	if !id.Valid(recordingID) {
		return nil, nil //nolint:nilnil // as above
	}
	return one(tx.QueryRow(ctx, `SELECT `+columns+` FROM recording WHERE id = $1`, recordingID))
}

// Find reads a recording that a principal may see. A recording they may not see is not
// found.
func Find(ctx context.Context, tx *db.Tx, p auth.Principal, recordingID string) (Recording, error) {
	if !id.Valid(recordingID) {
		return Recording{}, fault.Missing()
	}
	where, values := seenBy(p, recordingID)
	r, err := one(tx.QueryRow(ctx, `SELECT `+columns+` FROM recording WHERE id = $1 AND `+where, values...))
	if err == nil && r == nil {
		err = fault.Missing()
	}
	if err != nil {
		return Recording{}, err
	}
	return *r, nil
}

// seenBy returns Recording.SeenBy as an SQL condition. before are the values that precede
// it in the statement.
func seenBy(p auth.Principal, before ...any) (where string, values []any) {
	where = fmt.Sprintf(`workspace_id = $%d AND deleted_at IS NULL`, len(before)+1)
	values = append(slices.Clone(before), p.WorkspaceID)
	if p.Session && !p.ManagesAll {
		where += fmt.Sprintf(` AND (visibility <> '%s' OR made_by = $%d)`, SeenPrivately, len(values)+1)
		values = append(values, p.AccountID)
	}
	return where, values
}

// page selects the recordings of a list.
type page struct {
	roomID string // "": of every room
	after  string // id of the last recording of the page before; "": first page
	limit  int
}

func list(ctx context.Context, tx *db.Tx, p auth.Principal, which page) ([]Recording, error) {
	where, values := seenBy(p)
	if which.roomID != "" {
		values = append(values, which.roomID)
		where += fmt.Sprintf(` AND room_id = $%d`, len(values))
	}
	if which.after != "" {
		values = append(values, which.after)
		where += fmt.Sprintf(` AND id < $%d`, len(values))
	}
	values = append(values, which.limit)
	found, err := db.Query(ctx, tx, scan, fmt.Sprintf(`SELECT %s FROM recording WHERE %s ORDER BY id DESC LIMIT $%d`, columns, where, len(values)), values...)
	if err != nil {
		return nil, fmt.Errorf("list recordings: %w", err)
	}
	return found, nil
}

// hasPlace reports whether a workspace has a recording, deleted or not, after which a
// list can continue.
func hasPlace(ctx context.Context, tx *db.Tx, workspaceID, recordingID string) (found bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM recording WHERE id = $1 AND workspace_id = $2)`, recordingID, workspaceID).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("find a recording's place in a list: %w", err)
	}
	return found, nil
}

// running reads the running recordings of a room and its breakouts.
func running(ctx context.Context, tx *db.Tx, roomID string) ([]Recording, error) {
	found, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM recording WHERE room_id = $1 AND status = 'recording' AND deleted_at IS NULL`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read the running recordings: %w", err)
	}
	return found, nil
}

// Census counts the recordings that are being made in the whole service.
func Census(ctx context.Context, tx *db.Tx) (n int64, err error) {
	err = tx.QueryRow(ctx, `SELECT COUNT(*) FROM recording WHERE status = 'recording' AND deleted_at IS NULL`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count recordings: %w", err)
	}
	return n, nil
}

// unfinished lists the recordings that are not complete.
func unfinished(ctx context.Context, tx *db.Tx) ([]Recording, error) {
	found, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM recording WHERE status IN ('recording', 'processing') AND deleted_at IS NULL`)
	if err != nil {
		return nil, fmt.Errorf("list unfinished recordings: %w", err)
	}
	return found, nil
}

func insert(ctx context.Context, tx *db.Tx, r Recording) error {
	_, err := tx.Exec(ctx, `INSERT INTO recording (`+columns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, 0,
		NULL, $11, $12, $13, $14, $15, $16, NULL,
		NULL, $17, NULL, 0, NULL)`,
		r.ID, r.WorkspaceID, r.RoomID, r.BreakoutID, r.MeetingID, r.Title, r.Status, r.Visibility, r.Protection, r.MIMEType,
		db.Text(r.SealedKey), r.UploadHash, r.Recorder, r.RecorderName, db.Text(r.MadeBy), r.StartedAt.UnixMilli(), r.HeardAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("begin a recording: %w", err)
	}
	return nil
}

// save stores the fields of a recording that can change.
func save(ctx context.Context, tx *db.Tx, r Recording) error {
	var expected db.Null[int64]
	if r.Expected != nil {
		expected = db.Some(int64(*r.Expected))
	}
	_, err := tx.Exec(ctx, `UPDATE recording SET title = $1, status = $2, visibility = $3, parts = $4, bytes = $5, duration_ms = $6, expected = $7,
		ended_at = $8, noticed_at = $9, heard_at = $10, index_piece = $11, index_bytes = $12 WHERE id = $13`,
		r.Title, r.Status, r.Visibility, r.Parts, r.Bytes, r.Duration.Milliseconds(), expected, db.Millis(r.EndedAt), db.Millis(r.NoticedAt),
		r.HeardAt.UnixMilli(), db.Text(r.IndexPiece), r.IndexBytes, r.ID)
	if err != nil {
		return fmt.Errorf("change a recording: %w", err)
	}
	return nil
}

// renameRecorder changes the name of a person in the recordings that their device is
// making.
func renameRecorder(ctx context.Context, tx *db.Tx, roomID, recorder, name string) error {
	_, err := tx.Exec(ctx, `UPDATE recording SET recorder_name = $1
		WHERE room_id = $2 AND recorder = $3 AND status = 'recording' AND deleted_at IS NULL`, name, roomID, recorder)
	if err != nil {
		return fmt.Errorf("rename the person who records: %w", err)
	}
	return nil
}

// markDeleted deletes a recording's key and wraps and marks its row as deleted. A job
// deletes its parts. The row is deleted later.
func markDeleted(ctx context.Context, tx *db.Tx, recordingID string, at time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE recording SET deleted_at = $1, sealed_key = NULL, title = '', recorder_name = '' WHERE id = $2`, at.UnixMilli(), recordingID)
	if err == nil {
		_, err = tx.Exec(ctx, `DELETE FROM recording_wrap WHERE recording_id = $1`, recordingID)
	}
	if err != nil {
		return fmt.Errorf("delete a recording: %w", err)
	}
	return nil
}

// storedIn returns the size of all recordings of a workspace with their indexes, in bytes.
func storedIn(ctx context.Context, tx *db.Tx, workspaceID string) (n int64, err error) {
	err = tx.QueryRow(ctx, `SELECT CAST(COALESCE(SUM(bytes + index_bytes), 0) AS BIGINT) FROM recording WHERE workspace_id = $1 AND deleted_at IS NULL`, workspaceID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("add up the recordings of a workspace: %w", err)
	}
	return n, nil
}

// oldDeleted finds recordings that were deleted before a time and have no parts left.
func oldDeleted(ctx context.Context, tx *db.Tx, before time.Time, many int) ([]string, error) {
	ids, err := db.IDs(ctx, tx, `SELECT id FROM recording r WHERE deleted_at < $1
		AND NOT EXISTS (SELECT 1 FROM recording_part p WHERE p.recording_id = r.id) LIMIT $2`, before.UnixMilli(), many)
	if err != nil {
		return nil, fmt.Errorf("find recordings that were deleted long ago: %w", err)
	}
	return ids, nil
}

func deleteRows(ctx context.Context, tx *db.Tx, table string, ids []string) error {
	if err := db.Delete(ctx, tx, table, "id", ids); err != nil {
		return fmt.Errorf("delete old rows of %s: %w", table, err)
	}
	return nil
}

package room

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

const columns = `id, workspace_id, code, name, description, locked, settings, created_by, created_at, updated_at, deleted_at`

func scan(s db.Scanner) (Room, error) { return scanBeside(s) }

// scanBeside reads a room, and after it the columns of a Beside.
func scanBeside(s db.Scanner, into ...any) (Room, error) {
	var (
		r                Room
		settings         string
		description      db.Null[string]
		created, updated int64
		deleted          db.Null[int64]
	)
	err := s.Scan(append([]any{
		&r.ID, &r.WorkspaceID, &r.Code, &r.Name, &description, &r.Locked, &settings, &r.CreatedBy, &created, &updated, &deleted,
	}, into...)...)
	if err != nil {
		return Room{}, err //nolint:wrapcheck // the callers say what they looked for
	}
	r.Description, r.DeletedAt = db.Pointer(description), db.Time(deleted)
	r.CreatedAt, r.UpdatedAt = db.At(created), db.At(updated)
	if err := json.Unmarshal([]byte(settings), &r.Settings); err != nil {
		return Room{}, fmt.Errorf("read the settings of room %s: %w", r.ID, err)
	}
	return r, nil
}

func one(row *db.Row, into ...any) (Room, error) {
	r, err := scanBeside(row, into...)
	if errors.Is(err, db.ErrNoRows) {
		return Room{}, fault.Missing()
	}
	if err != nil {
		return Room{}, fmt.Errorf("read a room: %w", err)
	}
	return r, nil
}

// Find reads a room of a workspace. It returns the same not_found for another
// workspace's room, a deleted room and a text that is not an id.
func Find(ctx context.Context, tx *db.Tx, workspaceID, roomID string) (Room, error) {
	if !id.Valid(roomID) {
		return Room{}, fault.Missing()
	}
	return one(tx.QueryRow(ctx, `SELECT `+columns+` FROM room WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL`, roomID, workspaceID))
}

// Beside names columns of a table that has at most one row for a room, in its column
// room_id, and where they are read to. They are null where there is no row.
type Beside struct {
	Table, Columns string // constants of the program
	Into           []any
}

// FindManagedBeside is FindManaged, and reads a row of another table with the room in
// one query.
func FindManagedBeside(ctx context.Context, tx *db.Tx, p auth.Principal, roomID string, b Beside) (Room, error) {
	if !id.Valid(roomID) {
		return Room{}, fault.Missing()
	}
	r, err := one(tx.QueryRow(ctx, `SELECT `+columns+`, `+b.Columns+` FROM room LEFT JOIN `+b.Table+` ON room_id = id
		WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL`, roomID, p.WorkspaceID), b.Into...)
	return managed(p, r, err)
}

// FindManaged reads a room for an operation that a signed-in member may only do in
// a room they manage. An API key may do what its scopes allow in every room of its
// workspace.
func FindManaged(ctx context.Context, tx *db.Tx, p auth.Principal, roomID string) (Room, error) {
	r, err := Find(ctx, tx, p.WorkspaceID, roomID)
	return managed(p, r, err)
}

func managed(p auth.Principal, r Room, err error) (Room, error) {
	if err == nil && !p.MayChange(r.CreatedBy) {
		err = NotManaged(p)
	}
	return r, err
}

// ByID reads a room of any workspace, deleted or not. It is for the service's own
// work and must not be used for a request that names a room.
func ByID(ctx context.Context, tx *db.Tx, roomID string) (Room, error) {
	return one(tx.QueryRow(ctx, `SELECT `+columns+` FROM room WHERE id = $1`, roomID))
}

// ByCode reads a room that is not deleted by the code of its link.
func ByCode(ctx context.Context, tx *db.Tx, code string) (Room, error) {
	return one(tx.QueryRow(ctx, `SELECT `+columns+` FROM room WHERE code = $1 AND deleted_at IS NULL`, code))
}

// cursor reads the room after which a page begins. The room may be deleted, so
// that a list can continue after a room that was deleted meanwhile.
func cursor(ctx context.Context, tx *db.Tx, workspaceID, roomID string) (Room, error) {
	r, err := one(tx.QueryRow(ctx, `SELECT `+columns+` FROM room WHERE id = $1 AND workspace_id = $2`, roomID, workspaceID))
	if fault.HasCode(err, fault.Missing().Code) {
		return Room{}, fault.BadParameter("starting_after", "starting_after must be the id of a room of this workspace.")
	}
	return r, err
}

// list reads rooms, newest first. If after is set, it begins behind that room.
func list(ctx context.Context, tx *db.Tx, workspaceID string, after *Room, limit int) ([]Room, error) {
	const from = `SELECT ` + columns + ` FROM room WHERE workspace_id = $1 AND deleted_at IS NULL `
	var (
		rooms []Room
		err   error
	)
	if after == nil {
		rooms, err = db.Query(ctx, tx, scan, from+`ORDER BY created_at DESC, id DESC LIMIT $2`, workspaceID, limit)
	} else {
		// PostgreSQL cannot infer the types of parameters inside a row.
		rooms, err = db.Query(ctx, tx, scan, from+`AND (created_at, id) < (CAST($2 AS BIGINT), CAST($3 AS TEXT))
			ORDER BY created_at DESC, id DESC LIMIT $4`, workspaceID, after.CreatedAt.UnixMilli(), after.ID, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("list rooms: %w", err)
	}
	return rooms, nil
}

func insert(ctx context.Context, tx *db.Tx, r Room) error {
	settings, err := json.Marshal(r.Settings)
	if err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	_, err = tx.Exec(ctx, `INSERT INTO room (`+columns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, NULL)`,
		r.ID, r.WorkspaceID, r.Code, r.Name, r.Description, r.Locked, string(settings), r.CreatedBy, r.CreatedAt.UnixMilli(), r.UpdatedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("store the room: %w", err)
	}
	return nil
}

func update(ctx context.Context, tx *db.Tx, r Room) error {
	settings, err := json.Marshal(r.Settings)
	if err != nil {
		return fmt.Errorf("write the settings: %w", err)
	}
	_, err = tx.Exec(ctx, `UPDATE room SET name = $1, description = $2, locked = $3, settings = $4, updated_at = $5 WHERE id = $6`,
		r.Name, r.Description, r.Locked, string(settings), r.UpdatedAt.UnixMilli(), r.ID)
	if err != nil {
		return fmt.Errorf("change the room: %w", err)
	}
	return nil
}

func markDeleted(ctx context.Context, tx *db.Tx, r Room) error {
	_, err := tx.Exec(ctx, `UPDATE room SET deleted_at = $1, updated_at = $2 WHERE id = $3`, r.DeletedAt.UnixMilli(), r.UpdatedAt.UnixMilli(), r.ID)
	if err != nil {
		return fmt.Errorf("delete the room: %w", err)
	}
	return nil
}

package join

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seat"
)

func insertLink(ctx context.Context, tx *db.Tx, l link) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO join_link (id, room_id, workspace_id, secret_hash, name, role, user_id, avatar, redirect_url, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		l.ID, l.RoomID, l.WorkspaceID, l.SecretHash, l.Name, string(l.Role), l.UserID, l.Avatar, l.RedirectURL, l.CreatedAt.UnixMilli(), l.ExpiresAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("keep the join link: %w", err)
	}
	return nil
}

const linkColumns = `id, room_id, workspace_id, secret_hash, name, role, user_id, avatar, redirect_url, created_at, expires_at`

// linkBySecret finds a join link of a room; nil when no link of the room has the
// secret.
func linkBySecret(ctx context.Context, tx *db.Tx, roomID, hash string) (*link, error) {
	return scanLink(tx.QueryRow(ctx, `SELECT `+linkColumns+` FROM join_link WHERE secret_hash = $1 AND room_id = $2`, hash, roomID))
}

func scanLink(row *db.Row) (*link, error) {
	var (
		l                        link
		role                     string
		userID, avatar, redirect db.Null[string]
		created, expires         int64
	)
	err := row.Scan(&l.ID, &l.RoomID, &l.WorkspaceID, &l.SecretHash, &l.Name, &role, &userID, &avatar, &redirect, &created, &expires)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // no link is an answer, not an error
	}
	if err != nil {
		return nil, fmt.Errorf("read a join link: %w", err)
	}
	l.Role = api.Role(role)
	l.UserID, l.Avatar, l.RedirectURL = db.Pointer(userID), db.Pointer(avatar), db.Pointer(redirect)
	l.CreatedAt, l.ExpiresAt = db.At(created), db.At(expires)
	return &l, nil
}

// oldLinks finds links that expired long ago. It leaves out links of people who are
// in the meeting, because they come back with them.
func oldLinks(ctx context.Context, tx *db.Tx, before time.Time, many int) ([]string, error) {
	ids, err := db.IDs(ctx, tx, `SELECT id FROM join_link WHERE expires_at < $1
		AND NOT `+seat.LinkInUse("join_link.id")+` LIMIT $2`, before.UnixMilli(), many)
	if err != nil {
		return nil, fmt.Errorf("find old join links: %w", err)
	}
	return ids, nil
}

func linksOfDeletedRooms(ctx context.Context, tx *db.Tx, many int) ([]string, error) {
	ids, err := db.IDs(ctx, tx, `SELECT l.id FROM room r JOIN join_link l ON l.room_id = r.id WHERE r.deleted_at IS NOT NULL LIMIT $1`, many)
	if err != nil {
		return nil, fmt.Errorf("find the join links of deleted rooms: %w", err)
	}
	return ids, nil
}

func deleteLinks(ctx context.Context, tx *db.Tx, ids []string) error {
	if err := db.Delete(ctx, tx, "join_link", "id", ids); err != nil {
		return fmt.Errorf("delete join links: %w", err)
	}
	return nil
}

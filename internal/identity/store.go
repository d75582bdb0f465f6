package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
)

// keyRow is a key together with its creator's current rights.
type keyRow struct {
	api.APIKey

	hash        string
	revoked     bool
	manageKeys  bool
	manageRooms bool
}

// keyByPrefix finds a key by its public beginning, and in the same query its
// creator's current rights in the workspace.
func keyByPrefix(ctx context.Context, tx *db.Tx, prefix string) (keyRow, error) {
	var (
		role    db.Null[string]
		keys    db.Null[bool]
		rooms   db.Null[bool]
		roleRow db.Null[string]
	)
	k, err := scanKey(tx.QueryRow(ctx, `
		SELECT k.id, k.workspace_id, k.prefix, k.secret_hash, k.name, k.environment, k.scopes, k.created_by,
		       k.created_at, k.expires_at, k.revoked_at, k.last_used_at, m.role, r.id, r.manage_keys, r.manage_rooms
		FROM api_key k
		LEFT JOIN member m ON m.workspace_id = k.workspace_id AND m.account_id = k.created_by
		LEFT JOIN workspace_role r ON r.id = m.role
		WHERE k.prefix = $1`, prefix), &role, &roleRow, &keys, &rooms)
	if err != nil {
		return keyRow{}, err
	}
	var custom *Role
	if roleRow.Valid {
		custom = &Role{ManageKeys: keys.V, ManageRooms: rooms.V}
	}
	k.manageKeys, k.manageRooms = rights(role.V, custom)
	return k, nil
}

func keysOf(ctx context.Context, tx *db.Tx, workspaceID string) ([]keyRow, error) {
	scan := func(s db.Scanner) (keyRow, error) { return scanKey(s) }
	keys, err := db.Query(ctx, tx, scan, `
		SELECT id, workspace_id, prefix, secret_hash, name, environment, scopes, created_by,
		       created_at, expires_at, revoked_at, last_used_at
		FROM api_key WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC`, workspaceID)
	if err != nil {
		return nil, fmt.Errorf("list the workspace's keys: %w", err)
	}
	return keys, nil
}

func scanKey(s db.Scanner, more ...any) (keyRow, error) {
	var (
		k                      keyRow
		scopes                 string
		created                int64
		expires, revoked, last db.Null[int64]
		fields                 = []any{&k.ID, &k.WorkspaceID, &k.Prefix, &k.hash, &k.Name, &k.Environment, &scopes, &k.CreatedBy, &created, &expires, &revoked, &last}
	)
	if err := s.Scan(append(fields, more...)...); err != nil {
		return keyRow{}, err //nolint:wrapcheck // the callers say what they looked for
	}
	k.Object = "api_key"
	for scope := range strings.FieldsSeq(scopes) {
		k.Scopes = append(k.Scopes, api.Scope(scope))
	}
	k.CreatedAt, k.ExpiresAt, k.LastUsedAt = api.Millis(created), api.TimeOrNull(db.Time(expires)), api.TimeOrNull(db.Time(last))
	k.revoked = revoked.Valid
	return k, nil
}

func insertKey(ctx context.Context, tx *db.Tx, k keyRow) error {
	words := make([]string, len(k.Scopes))
	for i, s := range k.Scopes {
		words[i] = string(s)
	}
	var expires db.Null[int64]
	if k.ExpiresAt != nil {
		expires = db.Some(k.ExpiresAt.UnixMilli())
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO api_key (id, workspace_id, prefix, secret_hash, name, environment, scopes, created_by, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		k.ID, k.WorkspaceID, k.Prefix, k.hash, k.Name, k.Environment, strings.Join(words, " "), k.CreatedBy, k.CreatedAt.UnixMilli(), expires)
	if err != nil {
		return fmt.Errorf("store the key: %w", err)
	}
	return nil
}

// touchKey records that a key was used, unless the recorded use is later than
// before.
func touchKey(ctx context.Context, tx *db.Tx, keyID string, now, before time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE api_key SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at <= $3)`,
		now.UnixMilli(), keyID, before.UnixMilli())
	if err != nil {
		return fmt.Errorf("record the use of a key: %w", err)
	}
	return nil
}

func revokeKey(ctx context.Context, tx *db.Tx, keyID string, now time.Time) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE api_key SET revoked_at = COALESCE(revoked_at, $1) WHERE id = $2`, now.UnixMilli(), keyID)
	if err != nil {
		return false, fmt.Errorf("revoke the key: %w", err)
	}
	return n == 1, nil
}

func insertAccount(ctx context.Context, tx *db.Tx, a Account, now time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO account (id, email, name, created_at) VALUES ($1, $2, $3, $4)`, a.ID, a.Email, a.Name, now.UnixMilli())
	if err != nil {
		return fmt.Errorf("store the account: %w", err)
	}
	return nil
}

// accountByEmail finds an account; ErrNoRows when there is none.
func accountByEmail(ctx context.Context, tx *db.Tx, email string) (Account, error) {
	var a Account
	err := tx.QueryRow(ctx, `SELECT id, email, name FROM account WHERE email = $1`, email).Scan(&a.ID, &a.Email, &a.Name)
	return a, err //nolint:wrapcheck // the callers tell ErrNoRows apart
}

func insertWorkspace(ctx context.Context, tx *db.Tx, w Workspace, personalOf string) error {
	var of db.Null[string]
	if personalOf != "" {
		of = db.Some(personalOf)
	}
	_, err := tx.Exec(ctx, `INSERT INTO workspace (id, name, personal_of, created_at) VALUES ($1, $2, $3, $4)`, w.ID, w.Name, of, w.CreatedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("store the workspace: %w", err)
	}
	return nil
}

func workspaces(ctx context.Context, tx *db.Tx) ([]Workspace, error) {
	list, err := db.Query(ctx, tx, func(s db.Scanner) (Workspace, error) {
		var (
			w       Workspace
			of      db.Null[string]
			created int64
		)
		err := s.Scan(&w.ID, &w.Name, &of, &created)
		w.Personal, w.CreatedAt = of.Valid, api.Millis(created)
		return w, err //nolint:wrapcheck // wrapped below
	}, `SELECT id, name, personal_of, created_at FROM workspace ORDER BY created_at, id`)
	if err != nil {
		return nil, fmt.Errorf("list the workspaces: %w", err)
	}
	return list, nil
}

func workspaceExists(ctx context.Context, tx *db.Tx, workspaceID string) (bool, error) {
	var n int
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM workspace WHERE id = $1`, workspaceID).Scan(&n); err != nil {
		return false, fmt.Errorf("look for the workspace: %w", err)
	}
	return n == 1, nil
}

func upsertMember(ctx context.Context, tx *db.Tx, workspaceID, accountID, role string, now time.Time) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO member (workspace_id, account_id, role, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (workspace_id, account_id) DO UPDATE SET role = excluded.role`, workspaceID, accountID, role, now.UnixMilli())
	if err != nil {
		return fmt.Errorf("store the member: %w", err)
	}
	return nil
}

func deleteMember(ctx context.Context, tx *db.Tx, workspaceID, accountID string) (bool, error) {
	n, err := tx.Exec(ctx, `DELETE FROM member WHERE workspace_id = $1 AND account_id = $2`, workspaceID, accountID)
	if err != nil {
		return false, fmt.Errorf("remove the member: %w", err)
	}
	return n == 1, nil
}

func members(ctx context.Context, tx *db.Tx, workspaceID string) ([]Member, error) {
	list, err := db.Query(ctx, tx, func(s db.Scanner) (Member, error) {
		var (
			m       Member
			created int64
		)
		err := s.Scan(&m.AccountID, &m.Email, &m.Role, &created)
		m.CreatedAt = api.Millis(created)
		return m, err //nolint:wrapcheck // wrapped below
	}, `SELECT m.account_id, a.email, COALESCE(r.name, m.role), m.created_at
		FROM member m JOIN account a ON a.id = m.account_id LEFT JOIN workspace_role r ON r.id = m.role
		WHERE m.workspace_id = $1 ORDER BY m.created_at, m.account_id`, workspaceID)
	if err != nil {
		return nil, fmt.Errorf("list the members: %w", err)
	}
	return list, nil
}

func insertRole(ctx context.Context, tx *db.Tx, workspaceID string, r Role, now time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO workspace_role (id, workspace_id, name, manage_keys, manage_rooms, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		r.ID, workspaceID, r.Name, r.ManageKeys, r.ManageRooms, now.UnixMilli())
	if err != nil {
		return fmt.Errorf("store the role: %w", err)
	}
	return nil
}

// roleOf returns an account's role in a workspace: the name of a built-in role,
// or the id of a role of the workspace together with that role. It is "" for an
// account that is not a member.
func roleOf(ctx context.Context, tx *db.Tx, workspaceID, accountID string) (string, *Role, error) {
	var (
		role        string
		custom      db.Null[string]
		keys, rooms db.Null[bool]
	)
	err := tx.QueryRow(ctx, `
		SELECT m.role, r.id, r.manage_keys, r.manage_rooms
		FROM member m LEFT JOIN workspace_role r ON r.id = m.role
		WHERE m.workspace_id = $1 AND m.account_id = $2`, workspaceID, accountID).Scan(&role, &custom, &keys, &rooms)
	switch {
	case errors.Is(err, db.ErrNoRows):
		return "", nil, nil
	case err != nil:
		return "", nil, fmt.Errorf("look up a member's role: %w", err)
	case custom.Valid:
		return role, &Role{ID: custom.V, ManageKeys: keys.V, ManageRooms: rooms.V}, nil
	default:
		return role, nil, nil
	}
}

// roleIDByName finds the id of a workspace's own role; "" when there is none.
func roleIDByName(ctx context.Context, tx *db.Tx, workspaceID, name string) (string, error) {
	var roleID string
	err := tx.QueryRow(ctx, `SELECT id FROM workspace_role WHERE workspace_id = $1 AND name = $2`, workspaceID, name).Scan(&roleID)
	if errors.Is(err, db.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look for the role: %w", err)
	}
	return roleID, nil
}

func owners(ctx context.Context, tx *db.Tx, workspaceID string) ([]Account, error) {
	list, err := db.Query(ctx, tx, func(s db.Scanner) (Account, error) {
		var a Account
		err := s.Scan(&a.ID, &a.Email, &a.Name)
		return a, err //nolint:wrapcheck // wrapped below
	}, `SELECT a.id, a.email, a.name FROM member m JOIN account a ON a.id = m.account_id
		WHERE m.workspace_id = $1 AND m.role = 'owner' ORDER BY m.created_at, a.id`, workspaceID)
	if err != nil {
		return nil, fmt.Errorf("list the owners: %w", err)
	}
	return list, nil
}

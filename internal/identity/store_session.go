package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// accountForSignIn finds an account with its password's hash. Both are empty for
// an unknown address; only the hash is empty when there is no password.
func accountForSignIn(ctx context.Context, tx *db.Tx, email string) (Account, string, error) {
	var (
		a    Account
		hash db.Null[string]
	)
	err := tx.QueryRow(ctx, `SELECT id, email, name, password FROM account WHERE email = $1`, email).Scan(&a.ID, &a.Email, &a.Name, &hash)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return Account{}, "", fmt.Errorf("look for the account: %w", err)
	}
	return a, hash.V, nil
}

func personByID(ctx context.Context, tx *db.Tx, accountID string) (Person, error) {
	var p Person
	err := tx.QueryRow(ctx, `SELECT id, email, name, password IS NOT NULL FROM account WHERE id = $1`, accountID).
		Scan(&p.ID, &p.Email, &p.Name, &p.HasPassword)
	if err != nil {
		return Person{}, fmt.Errorf("read the account: %w", err)
	}
	return p, nil
}

// memberships lists the workspaces of an account, the personal one first.
func memberships(ctx context.Context, tx *db.Tx, accountID string) ([]Membership, error) {
	list, err := db.Query(ctx, tx, func(s db.Scanner) (Membership, error) {
		var (
			m          Membership
			personalOf db.Null[string]
			role       string
			own        db.Null[string]
			rooms      db.Null[bool]
		)
		err := s.Scan(&m.ID, &m.Name, &personalOf, &role, &own, &rooms)
		var custom *Role
		if m.Role = role; own.Valid {
			custom = &Role{ManageRooms: rooms.V}
			m.Role = own.V
		}
		m.Personal = personalOf.Valid
		_, m.ManagesRooms = rights(role, custom)
		return m, err //nolint:wrapcheck // wrapped below
	}, `SELECT w.id, w.name, w.personal_of, m.role, r.name, r.manage_rooms
		FROM member m JOIN workspace w ON w.id = m.workspace_id LEFT JOIN workspace_role r ON r.id = m.role
		WHERE m.account_id = $1 ORDER BY w.personal_of IS NULL, m.created_at, w.id`, accountID)
	if err != nil {
		return nil, fmt.Errorf("list the account's workspaces: %w", err)
	}
	return list, nil
}

// personalWorkspace finds the id of an account's personal workspace; "" when
// there is none.
func personalWorkspace(ctx context.Context, tx *db.Tx, accountID string) (string, error) {
	var found string
	err := tx.QueryRow(ctx, `SELECT id FROM workspace WHERE personal_of = $1`, accountID).Scan(&found)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return "", fmt.Errorf("look for the personal workspace: %w", err)
	}
	return found, nil
}

func putInvitation(ctx context.Context, tx *db.Tx, accountID, hash string, now, expires time.Time) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO invitation (account_id, secret_hash, created_at, expires_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account_id) DO UPDATE SET secret_hash = excluded.secret_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`,
		accountID, hash, now.UnixMilli(), expires.UnixMilli())
	if err != nil {
		return fmt.Errorf("store the invitation: %w", err)
	}
	return nil
}

// accountByInvitation finds the account of an invitation; ErrNoRows when there
// is none.
func accountByInvitation(ctx context.Context, tx *db.Tx, hash string) (Account, time.Time, error) {
	var (
		a       Account
		expires int64
	)
	err := tx.QueryRow(ctx, `
		SELECT a.id, a.email, a.name, i.expires_at FROM invitation i JOIN account a ON a.id = i.account_id
		WHERE i.secret_hash = $1`, hash).Scan(&a.ID, &a.Email, &a.Name, &expires)
	return a, db.At(expires), err //nolint:wrapcheck // the caller tells ErrNoRows apart
}

func deleteInvitation(ctx context.Context, tx *db.Tx, accountID string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM invitation WHERE account_id = $1`, accountID); err != nil {
		return fmt.Errorf("delete the invitation: %w", err)
	}
	return nil
}

func setNameAndPassword(ctx context.Context, tx *db.Tx, accountID, name, hash string) error {
	if _, err := tx.Exec(ctx, `UPDATE account SET name = $1, password = $2 WHERE id = $3`, name, hash, accountID); err != nil {
		return fmt.Errorf("store the password: %w", err)
	}
	return nil
}

// replacePassword changes a password if the stored hash still equals before.
func replacePassword(ctx context.Context, tx *db.Tx, accountID, before, after string) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE account SET password = $1 WHERE id = $2 AND password = $3`, after, accountID, before)
	if err != nil {
		return false, fmt.Errorf("store the password: %w", err)
	}
	return n == 1, nil
}

// sessionRow is a session with its account.
type sessionRow struct {
	account Account
	seen    time.Time
	expires time.Time
}

// sessionByHash finds a session; ErrNoRows when there is none.
func sessionByHash(ctx context.Context, tx *db.Tx, hash string) (sessionRow, error) {
	var (
		r             sessionRow
		seen, expires int64
	)
	err := tx.QueryRow(ctx, `
		SELECT a.id, a.email, a.name, s.seen_at, s.expires_at FROM account_session s JOIN account a ON a.id = s.account_id
		WHERE s.token_hash = $1`, hash).Scan(&r.account.ID, &r.account.Email, &r.account.Name, &seen, &expires)
	r.seen, r.expires = db.At(seen), db.At(expires)
	return r, err //nolint:wrapcheck // the callers tell ErrNoRows apart
}

func insertSession(ctx context.Context, tx *db.Tx, hash, accountID string, now, expires time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO account_session (token_hash, account_id, created_at, seen_at, expires_at) VALUES ($1, $2, $3, $3, $4)`,
		hash, accountID, now.UnixMilli(), expires.UnixMilli())
	if err != nil {
		return fmt.Errorf("store the session: %w", err)
	}
	return nil
}

func touchSession(ctx context.Context, tx *db.Tx, hash string, now, expires time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE account_session SET seen_at = $1, expires_at = $2 WHERE token_hash = $3`, now.UnixMilli(), expires.UnixMilli(), hash)
	if err != nil {
		return fmt.Errorf("record the use of a session: %w", err)
	}
	return nil
}

func deleteSession(ctx context.Context, tx *db.Tx, hash string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM account_session WHERE token_hash = $1`, hash); err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	return nil
}

// deleteSessions ends every session of an account except one; with an empty
// butHash, all of them.
func deleteSessions(ctx context.Context, tx *db.Tx, accountID, butHash string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM account_session WHERE account_id = $1 AND token_hash <> $2`, accountID, butHash); err != nil {
		return fmt.Errorf("end the account's sessions: %w", err)
	}
	return nil
}

// deleteAllSessions ends every session there is, and returns how many.
func deleteAllSessions(ctx context.Context, tx *db.Tx) (int64, error) {
	n, err := tx.Exec(ctx, `DELETE FROM account_session`)
	if err != nil {
		return 0, fmt.Errorf("end all sessions: %w", err)
	}
	return n, nil
}

func deleteExpired(ctx context.Context, tx *db.Tx, now time.Time) error {
	for _, statement := range []string{`DELETE FROM account_session WHERE expires_at <= $1`, `DELETE FROM invitation WHERE expires_at <= $1`} {
		if _, err := tx.Exec(ctx, statement, now.UnixMilli()); err != nil {
			return fmt.Errorf("delete expired rows: %w", err)
		}
	}
	return nil
}

func setName(ctx context.Context, tx *db.Tx, accountID, name string) error {
	if _, err := tx.Exec(ctx, `UPDATE account SET name = $1 WHERE id = $2`, name, accountID); err != nil {
		return fmt.Errorf("store the name: %w", err)
	}
	return nil
}

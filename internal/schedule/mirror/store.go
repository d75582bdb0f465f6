package mirror

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

const connectionColumns = `id, account_id, provider, target, name, credentials, status, status_at, failures, failing_since, paused_until, error, asked, filled, created_at`

func scanConnection(row db.Scanner) (Connection, error) {
	var (
		c                 Connection
		statusAt, created int64
		failing, paused   db.Null[int64]
		failure           db.Null[string]
	)
	err := row.Scan(&c.ID, &c.AccountID, &c.Provider, &c.Target, &c.Name, &c.credentials, &c.Status, &statusAt, &c.Failures, &failing, &paused, &failure,
		&c.asked, &c.filled, &created)
	if err != nil {
		return Connection{}, err //nolint:wrapcheck // the callers say what they looked for
	}
	c.StatusAt, c.CreatedAt, c.Error = db.At(statusAt), db.At(created), failure.V
	c.FailingSince, c.PausedUntil = db.Time(failing), db.Time(paused)
	return c, nil
}

func insertConnection(ctx context.Context, tx *db.Tx, c Connection) error {
	_, err := tx.Exec(ctx, `INSERT INTO calendar_connection (`+connectionColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, NULL, NULL, NULL, $9, 0, $10)`,
		c.ID, c.AccountID, string(c.Provider), c.Target, c.Name, c.credentials, string(c.Status), c.StatusAt.UnixMilli(), c.asked, c.CreatedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("store a calendar connection: %w", err)
	}
	return nil
}

// reconnect gives a connection new credentials and requests that all its entries are
// written again, because the calendar may be another one.
func reconnect(ctx context.Context, tx *db.Tx, c Connection) error {
	_, err := tx.Exec(ctx, `UPDATE calendar_connection SET name = $1, credentials = $2, status = $3, status_at = $4, failures = 0, failing_since = NULL,
		paused_until = NULL, error = NULL, asked = asked + 1 WHERE id = $5`, c.Name, c.credentials, string(c.Status), c.StatusAt.UnixMilli(), c.ID)
	if err == nil {
		// Count a change for pending mirrors too: the calendar may have been leaving, and
		// a job may be removing the entry at this moment.
		_, err = tx.Exec(ctx, `UPDATE calendar_mirror SET wanted = wanted + 1, failures = 0, failing_since = NULL, error = NULL WHERE connection_id = $1`, c.ID)
	}
	if err != nil {
		return fmt.Errorf("connect a calendar again: %w", err)
	}
	return nil
}

// findConnection reads a connection; false when there is none.
func findConnection(ctx context.Context, tx *db.Tx, connectionID string) (Connection, bool, error) {
	c, err := scanConnection(tx.QueryRow(ctx, `SELECT `+connectionColumns+` FROM calendar_connection WHERE id = $1`, connectionID))
	if errors.Is(err, db.ErrNoRows) {
		return Connection{}, false, nil
	}
	if err != nil {
		return Connection{}, false, fmt.Errorf("read a calendar connection: %w", err)
	}
	return c, true, nil
}

// connectionsOf reads the connections of an account, oldest first.
func connectionsOf(ctx context.Context, tx *db.Tx, accountID string) ([]Connection, error) {
	all, err := db.Query(ctx, tx, scanConnection, `SELECT `+connectionColumns+` FROM calendar_connection WHERE account_id = $1 ORDER BY created_at, id`, accountID)
	if err != nil {
		return nil, fmt.Errorf("list calendar connections: %w", err)
	}
	return all, nil
}

// setCredentials stores renewed credentials; false when the connection got other ones
// meanwhile.
func setCredentials(ctx context.Context, tx *db.Tx, connectionID, was, sealed string) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE calendar_connection SET credentials = $1 WHERE id = $2 AND credentials = $3`, sealed, connectionID, was)
	if err != nil {
		return false, fmt.Errorf("store renewed credentials of a calendar: %w", err)
	}
	return n == 1, nil
}

// setStatus moves a connection from one state to another; false when it is no longer in
// that state, or has other credentials than was.
func setStatus(ctx context.Context, tx *db.Tx, was Connection, from, to Status, reason string, now time.Time) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE calendar_connection SET status = $1, status_at = $2, error = $3 WHERE id = $4 AND status = $5 AND credentials = $6`,
		string(to), now.UnixMilli(), db.Text(reason), was.ID, string(from), was.credentials)
	if err != nil {
		return false, fmt.Errorf("change the state of a calendar connection: %w", err)
	}
	return n == 1, nil
}

// unchanged reports whether a connection still has the state and the credentials of was.
// It waits for other transactions that are changing the connection.
func unchanged(ctx context.Context, tx *db.Tx, was Connection) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE calendar_connection SET status = status WHERE id = $1 AND status = $2 AND credentials = $3`, was.ID, string(was.Status), was.credentials)
	if err != nil {
		return false, fmt.Errorf("check whether a calendar connection has changed: %w", err)
	}
	return n == 1, nil
}

// setFailing pauses a connection; false when it is paused already, or has other
// credentials than was. When a server goes down, several requests fail together and
// count as one failure.
func setFailing(ctx context.Context, tx *db.Tx, was Connection, reason string, now, until time.Time) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE calendar_connection SET failures = failures + 1, failing_since = COALESCE(failing_since, $1), paused_until = $2, error = $3
		WHERE id = $4 AND credentials = $5 AND (paused_until IS NULL OR paused_until <= $1)`, now.UnixMilli(), until.UnixMilli(), reason, was.ID, was.credentials)
	if err != nil {
		return false, fmt.Errorf("pause a calendar connection: %w", err)
	}
	return n == 1, nil
}

// setWell records that a connection works again.
func setWell(ctx context.Context, tx *db.Tx, connectionID string) error {
	_, err := tx.Exec(ctx, `UPDATE calendar_connection SET failures = 0, failing_since = NULL, paused_until = NULL, error = NULL WHERE id = $1 AND status <> $2`,
		connectionID, string(Revoked))
	if err != nil {
		return fmt.Errorf("record that a calendar connection works: %w", err)
	}
	return nil
}

// countFillRequest counts a request for a fill of a connection.
func countFillRequest(ctx context.Context, tx *db.Tx, connectionID string) error {
	if _, err := tx.Exec(ctx, `UPDATE calendar_connection SET asked = asked + 1 WHERE id = $1`, connectionID); err != nil {
		return fmt.Errorf("request a fill of a calendar: %w", err)
	}
	return nil
}

// filled records that fills up to count are done; false when another one was requested
// meanwhile.
func filled(ctx context.Context, tx *db.Tx, connectionID string, count int64) (bool, error) {
	var asked int64
	err := tx.QueryRow(ctx, `UPDATE calendar_connection SET filled = $1 WHERE id = $2 RETURNING asked`, count, connectionID).Scan(&asked)
	if errors.Is(err, db.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("record that a calendar is filled: %w", err)
	}
	return asked == count, nil
}

// deleteConnection deletes a connection and its mirrors. It returns false and deletes
// nothing when the connection no longer has the state and the credentials of was.
func deleteConnection(ctx context.Context, tx *db.Tx, was Connection) (bool, error) {
	n, err := tx.Exec(ctx, `DELETE FROM calendar_connection WHERE id = $1 AND status = $2 AND credentials = $3`, was.ID, string(was.Status), was.credentials)
	if err == nil && n == 1 {
		_, err = tx.Exec(ctx, `DELETE FROM calendar_mirror WHERE connection_id = $1`, was.ID)
	}
	if err != nil {
		return false, fmt.Errorf("delete a calendar connection: %w", err)
	}
	return n == 1, nil
}

package webhook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

const endpointColumns = `id, workspace_id, url, description, events, enabled, disabled_reason, secret, previous_secret, previous_secret_until, failing_since, created_at`

func scanEndpoint(row db.Scanner, more ...any) (Endpoint, error) {
	var (
		e                             Endpoint
		description, reason, previous db.Null[string]
		until, failing                db.Null[int64]
		events                        string
		created                       int64
	)
	fields := []any{&e.ID, &e.WorkspaceID, &e.URL, &description, &events, &e.Enabled, &reason, &e.secret, &previous, &until, &failing, &created}
	err := row.Scan(append(fields, more...)...)
	if err != nil {
		return Endpoint{}, err //nolint:wrapcheck // the callers say what they looked for
	}
	e.Description, e.DisabledReason, e.previous = db.Pointer(description), db.Pointer(reason), previous.V
	e.previousUntil, e.FailingSince = db.Time(until), db.Time(failing)
	e.CreatedAt = db.At(created)
	for _, kind := range strings.Fields(events) {
		e.Events = append(e.Events, api.EventType(kind))
	}
	return e, nil
}

// findEndpoint reads an endpoint of a workspace. It returns the same not_found
// for another workspace's endpoint and for a text that is not an id.
func findEndpoint(ctx context.Context, tx *db.Tx, workspaceID, endpointID string) (Endpoint, error) {
	if !id.Valid(endpointID) {
		return Endpoint{}, fault.Missing()
	}
	e, err := scanEndpoint(tx.QueryRow(ctx, `SELECT `+endpointColumns+` FROM webhook_endpoint WHERE id = $1 AND workspace_id = $2`, endpointID, workspaceID))
	if errors.Is(err, db.ErrNoRows) {
		return Endpoint{}, fault.Missing()
	}
	if err != nil {
		return Endpoint{}, fmt.Errorf("read a webhook endpoint: %w", err)
	}
	return e, nil
}

// isEnabled says whether an endpoint exists and is enabled.
func isEnabled(ctx context.Context, tx *db.Tx, endpointID string) (bool, error) {
	var enabled bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM webhook_endpoint WHERE id = $1 AND enabled)`, endpointID).Scan(&enabled)
	if err != nil {
		return false, fmt.Errorf("look whether a webhook endpoint is enabled: %w", err)
	}
	return enabled, nil
}

// listEndpoints reads the endpoints of a workspace, newest first.
func listEndpoints(ctx context.Context, tx *db.Tx, workspaceID string) ([]Endpoint, error) {
	all, err := db.Query(ctx, tx, func(row db.Scanner) (Endpoint, error) { return scanEndpoint(row) }, `SELECT `+endpointColumns+` FROM webhook_endpoint WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC`, workspaceID)
	if err != nil {
		return nil, fmt.Errorf("list webhook endpoints: %w", err)
	}
	return all, nil
}

func countEndpoints(ctx context.Context, tx *db.Tx, workspaceID string) (int, error) {
	var n int
	if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM webhook_endpoint WHERE workspace_id = $1`, workspaceID).Scan(&n); err != nil {
		return 0, fmt.Errorf("count webhook endpoints: %w", err)
	}
	return n, nil
}

func words(kinds []api.EventType) string {
	out := make([]string, len(kinds))
	for i, kind := range kinds {
		out[i] = string(kind)
	}
	return strings.Join(out, " ")
}

func insertEndpoint(ctx context.Context, tx *db.Tx, e Endpoint) error {
	_, err := tx.Exec(ctx, `INSERT INTO webhook_endpoint (`+endpointColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		e.ID, e.WorkspaceID, e.URL, e.Description, words(e.Events), e.Enabled, e.DisabledReason, e.secret, db.Text(e.previous),
		db.Millis(e.previousUntil), db.Millis(e.FailingSince), e.CreatedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("store a webhook endpoint: %w", err)
	}
	return nil
}

func updateEndpoint(ctx context.Context, tx *db.Tx, e Endpoint) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_endpoint SET url = $1, description = $2, events = $3, enabled = $4, disabled_reason = $5,
		secret = $6, previous_secret = $7, previous_secret_until = $8, failing_since = $9 WHERE id = $10`,
		e.URL, e.Description, words(e.Events), e.Enabled, e.DisabledReason, e.secret, db.Text(e.previous),
		db.Millis(e.previousUntil), db.Millis(e.FailingSince), e.ID)
	if err != nil {
		return fmt.Errorf("change a webhook endpoint: %w", err)
	}
	return nil
}

func deleteEndpoint(ctx context.Context, tx *db.Tx, endpointID string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM webhook_endpoint WHERE id = $1`, endpointID); err != nil {
		return fmt.Errorf("delete a webhook endpoint: %w", err)
	}
	return nil
}

// succeeding and failing record since when an endpoint does nothing but fail.
// They change no other column, so they do not undo a change of the endpoint that
// is made meanwhile.
func succeeding(ctx context.Context, tx *db.Tx, endpointIDs []string) error {
	for some := range db.Filled(endpointIDs, db.MostRows) {
		args := make([]any, len(some))
		for i, endpointID := range some {
			args[i] = endpointID
		}
		_, err := tx.Exec(ctx, `UPDATE webhook_endpoint SET failing_since = NULL WHERE id IN (`+db.In(1, len(some))+`) AND failing_since IS NOT NULL`, args...)
		if err != nil {
			return fmt.Errorf("record that webhook endpoints work: %w", err)
		}
	}
	return nil
}

func failing(ctx context.Context, tx *db.Tx, endpointID string, since time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_endpoint SET failing_since = $1 WHERE id = $2 AND failing_since IS NULL`, since.UnixMilli(), endpointID)
	if err != nil {
		return fmt.Errorf("record that a webhook endpoint fails: %w", err)
	}
	return nil
}

// disableFailing disables an endpoint that has been failing since the given time
// or longer. It returns false when the endpoint works again, is disabled already
// or was deleted.
func disableFailing(ctx context.Context, tx *db.Tx, endpointID string, since time.Time) (bool, error) {
	n, err := tx.Exec(ctx, `UPDATE webhook_endpoint SET enabled = $1, disabled_reason = $2 WHERE id = $3 AND enabled AND failing_since <= $4`,
		false, reasonFailing, endpointID, since.UnixMilli())
	if err != nil {
		return false, fmt.Errorf("disable a webhook endpoint that fails: %w", err)
	}
	return n == 1, nil
}

// deleteExpiredSecrets deletes the previous secrets that do not sign any more.
func deleteExpiredSecrets(ctx context.Context, tx *db.Tx, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_endpoint SET previous_secret = NULL, previous_secret_until = NULL WHERE previous_secret_until <= $1`, now.UnixMilli())
	if err != nil {
		return fmt.Errorf("delete expired secrets of webhook endpoints: %w", err)
	}
	return nil
}

package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
)

func insertRecovery(ctx context.Context, tx *db.Tx, r recovery) error {
	var untilAt, untilID any
	if r.Until != nil {
		untilAt, untilID = r.Until.At.UnixMilli(), r.Until.ID
	}
	_, err := tx.Exec(ctx, `INSERT INTO webhook_recovery (`+recoveryColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)`, r.ID, r.EndpointID, r.WorkspaceID, r.After.At.UnixMilli(), r.After.ID, untilAt, untilID)
	if err != nil {
		return fmt.Errorf("store a recovery: %w", err)
	}
	return nil
}

const recoveryColumns = `id, endpoint_id, workspace_id, after_at, after_id, until_at, until_id`

func scanRecovery(row db.Scanner) (recovery, error) {
	var (
		r       recovery
		after   int64
		untilAt db.Null[int64]
		untilID db.Null[string]
	)
	if err := row.Scan(&r.ID, &r.EndpointID, &r.WorkspaceID, &after, &r.After.ID, &untilAt, &untilID); err != nil {
		return recovery{}, err //nolint:wrapcheck // the callers say what they looked for
	}
	r.After.At = db.At(after)
	if at := db.Pointer(untilAt); at != nil {
		r.Until = &cursor{At: db.At(*at), ID: untilID.V}
	}
	return r, nil
}

// findRecovery reads a recovery; false when it is over.
func findRecovery(ctx context.Context, tx *db.Tx, recoveryID string) (recovery, bool, error) {
	r, err := scanRecovery(tx.QueryRow(ctx, `SELECT `+recoveryColumns+` FROM webhook_recovery WHERE id = $1`, recoveryID))
	if errors.Is(err, db.ErrNoRows) {
		return recovery{}, false, nil
	}
	if err != nil {
		return recovery{}, false, fmt.Errorf("read a recovery: %w", err)
	}
	return r, true, nil
}

// recoveriesOf lists the recoveries of an endpoint that are under way, those first
// that are furthest behind.
func recoveriesOf(ctx context.Context, tx *db.Tx, endpointID string) ([]recovery, error) {
	all, err := db.Query(ctx, tx, scanRecovery, `SELECT `+recoveryColumns+` FROM webhook_recovery WHERE endpoint_id = $1 ORDER BY after_at, after_id`, endpointID)
	if err != nil {
		return nil, fmt.Errorf("list the recoveries of a webhook endpoint: %w", err)
	}
	return all, nil
}

// moveRecovery notes the last event that a recovery has looked at.
func moveRecovery(ctx context.Context, tx *db.Tx, recoveryID string, after cursor) error {
	if _, err := tx.Exec(ctx, `UPDATE webhook_recovery SET after_at = $1, after_id = $2 WHERE id = $3`, after.At.UnixMilli(), after.ID, recoveryID); err != nil {
		return fmt.Errorf("move a recovery: %w", err)
	}
	return nil
}

func deleteRecovery(ctx context.Context, tx *db.Tx, recoveryID string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM webhook_recovery WHERE id = $1`, recoveryID); err != nil {
		return fmt.Errorf("delete a recovery: %w", err)
	}
	return nil
}

// countMissed counts the events that a new recovery is going to queue, without those
// that recoveries under way are going to look at.
func countMissed(ctx context.Context, tx *db.Tx, to Endpoint, r recovery) (int, error) {
	var (
		text strings.Builder
		args []any
	)
	parameter := func(value any) string {
		args = append(args, value)
		return fmt.Sprintf("$%d", len(args))
	}
	text.WriteString(`SELECT COUNT(*) FROM event e WHERE e.workspace_id = ` + parameter(to.WorkspaceID) + ` AND e.created_at >= ` + parameter(r.After.At.UnixMilli()))
	if r.Until != nil {
		// The casts tell PostgreSQL the types of a row's parameters.
		text.WriteString(` AND (e.created_at, e.id) <= (CAST(` + parameter(r.Until.At.UnixMilli()) + ` AS BIGINT), CAST(` + parameter(r.Until.ID) + ` AS TEXT))`)
	}
	text.WriteString(` AND e.type <> ` + parameter(string(api.EventWebhookTest)))
	if !slices.Contains(to.Events, everything) {
		first := len(args) + 1
		for _, kind := range to.Events {
			args = append(args, string(kind))
		}
		text.WriteString(` AND e.type IN (` + db.In(first, len(to.Events)) + `)`)
	}
	text.WriteString(` AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = ` + parameter(to.ID) + ` AND d.event_id = e.id AND d.status <> ` + parameter(statusFailed) + `)`)
	text.WriteString(` AND NOT EXISTS (SELECT 1 FROM webhook_recovery w WHERE w.endpoint_id = ` + parameter(to.ID) + `
		AND (e.created_at, e.id) > (w.after_at, w.after_id) AND (w.until_at IS NULL OR (e.created_at, e.id) <= (w.until_at, w.until_id)))`)
	var n int
	if err := tx.QueryRow(ctx, text.String(), args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("count missed events: %w", err)
	}
	return n, nil
}

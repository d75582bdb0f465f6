package servertest

import (
	"fmt"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Size says how much other people have left in a database.
type Size struct {
	Rooms   int // of the workspace
	Running int // of these, rooms in which a meeting runs
	Events  int // of the workspace; the first one is of the rare type poll.closed

	Endpoint string // id of a webhook endpoint to which every event was delivered; empty: none
}

// A running meeting of Fill has this many people in it, and this many who left;
// others wait in front of it.
const (
	peopleIn      = 5
	peopleGone    = 10
	peopleWaiting = 2
	peopleNew     = 3 // were let through and have not connected
)

// atOnce is how many rooms, events or deliveries one statement of Fill writes.
const atOnce = 50_000

// Fill writes what a large service holds: rooms, running meetings with their
// people, events and deliveries. All of it belongs to one workspace, the worst
// case. It returns the id of the room with the given number, from 1.
func Fill(t testing.TB, d *db.DB, workspaceID, accountID string, n Size, now time.Time) (room func(i int) string) {
	t.Helper()
	const numbers = ` WITH RECURSIVE n (i) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < $2) `
	const roomID = `'019a0000-0000-7000-8000-' || CAST(100000000000 + i AS TEXT)`
	at := now.UnixMilli()
	// PostgreSQL ends a statement that takes too long, so many rows take several.
	fill := func(many int, statement string, args ...any) {
		t.Helper()
		for first := 1; first <= many; first += atOnce {
			err := d.WriteLoosely(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), statement, append([]any{first, min(many, first+atOnce-1)}, args...)...)
				return err //nolint:wrapcheck // said below
			})
			if err != nil {
				t.Fatalf("fill the database: %v", err)
			}
		}
	}
	fill(n.Rooms, `INSERT INTO room (id, workspace_id, code, name, locked, settings, created_by, created_at, updated_at)`+numbers+`
		SELECT `+roomID+`, $3, 'filled-' || CAST(i AS TEXT), 'Room ' || CAST(i AS TEXT), FALSE, '{}', $4, CAST($5 AS BIGINT) - i, CAST($5 AS BIGINT) FROM n`,
		workspaceID, accountID, at)
	fill(n.Running, `INSERT INTO live_meeting (id, room_id, workspace_id, started_at)`+numbers+`
		SELECT 'meeting-' || CAST(i AS TEXT), `+roomID+`, $3, CAST($4 AS BIGINT) FROM n`, workspaceID, at)
	for _, s := range []struct {
		status string
		each   int
	}{{"in", peopleIn}, {"left", peopleGone}, {"waiting", peopleWaiting}, {"new", peopleNew}} {
		waiting := db.Null[int64]{}
		if s.status == "waiting" {
			waiting = db.Some(at)
		}
		fill(n.Running, `INSERT INTO seat (room_id, identity, workspace_id, meeting_id, kind, name, role, avatar, status, own_interface, entry_handled, generation,
				admitted_at, joined_at, created_at, waiting_since, away_at, person)`+numbers+`, p (j) AS (SELECT 1 UNION ALL SELECT j + 1 FROM p WHERE j < $3)
			SELECT `+roomID+`, 'guest_' || $4 || CAST(i AS TEXT) || 'p' || CAST(j AS TEXT) || '.x', $5, 'meeting-' || CAST(i AS TEXT), 'guest', 'Ada', 'participant', '', $4, TRUE, TRUE, '',
				CAST($6 AS BIGINT), CAST($6 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BIGINT), CAST($7 AS BIGINT), 'guest_' || $4 || CAST(i AS TEXT) || 'p' || CAST(j AS TEXT) FROM n, p`,
			s.each, s.status, workspaceID, at, waiting)
	}
	fill(n.Events, `INSERT INTO event (id, workspace_id, type, created_at, data)`+numbers+`
		SELECT 'evt_' || '00000000000000' || CAST(100000000000 + i AS TEXT), $3,
			CASE WHEN i = 1 THEN 'poll.closed' WHEN i % 2 = 0 THEN 'participant.joined' ELSE 'participant.left' END, CAST($4 AS BIGINT) + i, '{}' FROM n`,
		workspaceID, at-int64(n.Events))
	if n.Endpoint != "" {
		fill(n.Events, `INSERT INTO webhook_delivery (id, endpoint_id, event_id, event_type, status, attempts, step, response_code, created_at)`+numbers+`
			SELECT 'delivery-' || CAST(i AS TEXT), $3, 'evt_' || '00000000000000' || CAST(100000000000 + i AS TEXT), 'participant.joined', 'succeeded', 1, 1, 200,
				CAST($4 AS BIGINT) + i FROM n`, n.Endpoint, at-int64(n.Events))
	}
	Analyze(t, d)
	return func(i int) string { return fmt.Sprintf("019a0000-0000-7000-8000-%d", 100000000000+i) }
}

// Analyze brings the statistics of PostgreSQL's planner up to date, as its
// autovacuum does within a minute. For SQLite the service does it by itself
// (db.DB.Run).
func Analyze(t testing.TB, d *db.DB) {
	t.Helper()
	if d.Engine() != db.PostgreSQL {
		return
	}
	err := d.WriteLoosely(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "ANALYZE")
		return err
	})
	if err != nil {
		t.Fatalf("bring the statistics up to date: %v", err)
	}
}

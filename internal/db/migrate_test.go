package db

import (
	"context"
	"database/sql"
	"log/slog"
	"testing"
)

// An upgrade keeps the content of open ballot boxes; of closed ones it keeps
// only who has voted.
func TestBallotBoxesAreMoved(t *testing.T) {
	t.Parallel()
	const old = `PRAGMA foreign_keys = OFF;
		INSERT INTO poll (id, room_id, workspace_id, question, kind, anonymous, results, status, created_by, created_at) VALUES
			('p1', 'r', 'w', '?', 'single', TRUE, 'live', 'open', 'API', 0), ('p2', 'r', 'w', '?', 'single', TRUE, 'live', 'closed', 'API', 0);
		INSERT INTO poll_box (poll_id, secret, voters, counted, ballots) VALUES
			('p1', 's1', '["a"]', '["b"]', '{"x":1}'), ('p2', 's2', '[]', '["c"]', '{}');`
	d := upgraded(t, 10, old)
	const now = `SELECT group_concat(v.poll_id || v.secret || v.counted || COALESCE(b.voters || b.ballots, ' not open'), '; ' ORDER BY v.poll_id)
		FROM poll_voters v LEFT JOIN poll_ballots b ON b.poll_id = v.poll_id`
	if got, want := text(t.Context(), t, d.read, now), `p1s1["b"]["a"]{"x":1}; p2s2["c"] not open`; got != want {
		t.Errorf("after the upgrade the boxes are %s, want %s", got, want)
	}
}

// Older seats are found by their person after an upgrade.
func TestSeatsHaveTheirPerson(t *testing.T) {
	t.Parallel()
	const old = `PRAGMA foreign_keys = OFF;
		INSERT INTO seat (room_id, identity, workspace_id, kind, name, role, avatar, status, own_interface, entry_handled, generation, admitted_at, created_at)
		SELECT 'r', value, 'w', 'guest', 'Ada', 'participant', '', 'in', TRUE, TRUE, '', 0, 0
		FROM json_each('["api_A-b_9.x7q2m1zz", "user_0197-ab.00000000", "nobody"]')`
	d := upgraded(t, 13, old)
	const now = `SELECT group_concat(person, ' ' ORDER BY identity) FROM seat`
	if got, want := text(t.Context(), t, d.read, now), `api_A-b_9 nobody user_0197-ab`; got != want {
		t.Errorf("after the upgrade the persons are %s, want %s", got, want)
	}
}

// upgraded is a database of a version, with the rows that old adds to it, after an
// upgrade to the newest one.
func upgraded(t *testing.T, version int64, old string) *DB {
	t.Helper()
	ctx := t.Context()
	d := &DB{engine: SQLite, log: slog.New(slog.DiscardHandler)}
	if err := d.openSQLite(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	steps, err := d.migrations(d.write)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := steps.UpTo(ctx, version); err != nil {
		t.Fatal(err)
	}
	if _, err := d.write.ExecContext(ctx, old); err != nil {
		t.Fatal(err)
	}
	if err := d.migrate(ctx); err != nil {
		t.Fatal(err)
	}
	return d
}

func text(ctx context.Context, t *testing.T, from *sql.DB, query string) (found string) {
	t.Helper()
	if err := from.QueryRowContext(ctx, query).Scan(&found); err != nil {
		t.Fatal(err)
	}
	return found
}

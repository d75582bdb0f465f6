package mirror

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
)

const mirrorColumns = `id, connection_id, meeting_id, workspace_id, wanted, done, failures, failing_since`

func scanMirror(row db.Scanner) (mirror, error) {
	var (
		m       mirror
		failing db.Null[int64]
	)
	err := row.Scan(&m.ID, &m.ConnectionID, &m.MeetingID, &m.WorkspaceID, &m.Wanted, &m.Done, &m.Failures, &failing)
	m.FailingSince = db.Time(failing)
	return m, err //nolint:wrapcheck // the callers say what they looked for
}

// findMirror reads a mirror; false when there is none.
func findMirror(ctx context.Context, tx *db.Tx, mirrorID string) (mirror, bool, error) {
	m, err := scanMirror(tx.QueryRow(ctx, `SELECT `+mirrorColumns+` FROM calendar_mirror WHERE id = $1`, mirrorID))
	if errors.Is(err, db.ErrNoRows) {
		return mirror{}, false, nil
	}
	if err != nil {
		return mirror{}, false, fmt.Errorf("read a mirror: %w", err)
	}
	return m, true, nil
}

// want counts a change of a meeting that has a mirror in a calendar, and returns the
// mirror's id; "" when it has none.
func want(ctx context.Context, tx *db.Tx, connectionID, meetingID string) (mirrorID string, err error) {
	err = tx.QueryRow(ctx, `UPDATE calendar_mirror SET wanted = wanted + 1 WHERE meeting_id = $1 AND connection_id = $2 RETURNING id`,
		meetingID, connectionID).Scan(&mirrorID)
	if errors.Is(err, db.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("count a change for a calendar: %w", err)
	}
	return mirrorID, nil
}

// add makes a mirror of a meeting; "" when the calendar has one already, or is no longer
// connected.
func add(ctx context.Context, tx *db.Tx, connectionID string, m schedule.Meeting) (mirrorID string, err error) {
	err = tx.QueryRow(ctx, `INSERT INTO calendar_mirror (id, connection_id, meeting_id, workspace_id, wanted, done, sequence, event_id, version, failures, failing_since, error)
		SELECT $1, id, $3, $4, 1, 0, NULL, NULL, NULL, 0, NULL, NULL FROM calendar_connection WHERE id = $2
		ON CONFLICT (meeting_id, connection_id) DO NOTHING RETURNING id`,
		id.New(), connectionID, m.ID, m.WorkspaceID).Scan(&mirrorID)
	if errors.Is(err, db.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("add a meeting to a calendar: %w", err)
	}
	return mirrorID, nil
}

// wantAgain counts a change for a mirror that is not pending.
func wantAgain(ctx context.Context, tx *db.Tx, mirrorID string) error {
	if _, err := tx.Exec(ctx, `UPDATE calendar_mirror SET wanted = wanted + 1 WHERE id = $1 AND wanted = done`, mirrorID); err != nil {
		return fmt.Errorf("count a change for a calendar: %w", err)
	}
	return nil
}

// wantBehind counts a change for the mirrors of a connection, between two ids, whose
// meetings have changed since they were last written, and returns their ids. That
// includes a mirror that a job is writing at this moment, because the job may have read
// the meeting before it changed.
func wantBehind(ctx context.Context, tx *db.Tx, connectionID, first, last string) (map[string]bool, error) {
	ids, err := db.IDs(ctx, tx, `UPDATE calendar_mirror SET wanted = wanted + 1 WHERE connection_id = $1 AND id >= $2 AND id <= $3
		AND COALESCE(sequence, -1) < (SELECT m.sequence FROM scheduled_meeting m WHERE m.id = meeting_id) RETURNING id`, connectionID, first, last)
	if err != nil {
		return nil, fmt.Errorf("find the changed meetings of a calendar: %w", err)
	}
	behind := make(map[string]bool, len(ids))
	for _, mirrorID := range ids {
		behind[mirrorID] = true
	}
	return behind, nil
}

// overtaken counts a change for a mirror that two processes may have written at the same
// time. It creates the mirror again if the other process deleted it; mirrorID is "" when
// the connection was deleted.
func overtaken(ctx context.Context, tx *db.Tx, m mirror) (mirrorID string, err error) {
	err = tx.QueryRow(ctx, `INSERT INTO calendar_mirror (id, connection_id, meeting_id, workspace_id, wanted, done, sequence, event_id, version, failures, failing_since, error)
		SELECT $1, id, $3, $4, 1, 0, NULL, NULL, NULL, 0, NULL, NULL FROM calendar_connection WHERE id = $2
		ON CONFLICT (meeting_id, connection_id) DO UPDATE SET wanted = calendar_mirror.wanted + 1 RETURNING id`,
		m.ID, m.ConnectionID, m.MeetingID, m.WorkspaceID).Scan(&mirrorID)
	if errors.Is(err, db.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("count a change for a calendar: %w", err)
	}
	return mirrorID, nil
}

// mirrorsOf reads mirrors of a connection, sorted by id and beginning after the given
// one.
func mirrorsOf(ctx context.Context, tx *db.Tx, connectionID, after string, limit int) ([]mirror, error) {
	all, err := db.Query(ctx, tx, scanMirror, `SELECT `+mirrorColumns+` FROM calendar_mirror WHERE connection_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
		connectionID, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list mirrors: %w", err)
	}
	return all, nil
}

// setDone records what the calendar has now; false when the meeting has changed since
// it was read.
func setDone(ctx context.Context, tx *db.Tx, m mirror, sequence int64, ref calendar.Ref) (bool, error) {
	var wanted int64
	err := tx.QueryRow(ctx, `UPDATE calendar_mirror SET done = $1, sequence = $2, event_id = $3, version = $4, failures = 0, failing_since = NULL, error = NULL
		WHERE id = $5 RETURNING wanted`, m.Wanted, sequence, db.Text(ref.ID), db.Text(ref.Version), m.ID).Scan(&wanted)
	if errors.Is(err, db.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("record what a calendar has: %w", err)
	}
	return wanted == m.Wanted, nil
}

// setGivenUp records that the calendar refuses a meeting; false when the meeting has
// changed since it was read.
func setGivenUp(ctx context.Context, tx *db.Tx, m mirror, sequence int64, reason string) (bool, error) {
	var wanted int64
	err := tx.QueryRow(ctx, `UPDATE calendar_mirror SET done = $1, sequence = $2, failures = 0, failing_since = NULL, error = $3 WHERE id = $4 RETURNING wanted`,
		m.Wanted, sequence, reason, m.ID).Scan(&wanted)
	if errors.Is(err, db.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("record what a calendar refused: %w", err)
	}
	return wanted == m.Wanted, nil
}

// setMirrorFailing records a failure to write one meeting. The reason is that of the
// meeting; "": what fails is the whole calendar.
func setMirrorFailing(ctx context.Context, tx *db.Tx, mirrorID, reason string, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE calendar_mirror SET failures = failures + 1, failing_since = COALESCE(failing_since, $1), error = COALESCE($2, error) WHERE id = $3`,
		now.UnixMilli(), db.Text(reason), mirrorID)
	if err != nil {
		return fmt.Errorf("record a failure of a calendar: %w", err)
	}
	return nil
}

// setMirrorsWell forgets the failures of all meetings in a calendar.
func setMirrorsWell(ctx context.Context, tx *db.Tx, connectionID string) error {
	_, err := tx.Exec(ctx, `UPDATE calendar_mirror SET failures = 0, failing_since = NULL WHERE connection_id = $1 AND failing_since IS NOT NULL`, connectionID)
	if err != nil {
		return fmt.Errorf("forget failures of a calendar: %w", err)
	}
	return nil
}

// isAlone reports whether at most one meeting in a calendar fails.
func isAlone(ctx context.Context, tx *db.Tx, connectionID string) (bool, error) {
	var failing int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM calendar_mirror WHERE connection_id = $1 AND failing_since IS NOT NULL`, connectionID).Scan(&failing)
	if err != nil {
		return false, fmt.Errorf("count failing meetings in a calendar: %w", err)
	}
	return failing <= 1, nil
}

// drop deletes a mirror that is no longer needed. It returns false and keeps the mirror
// when the meeting has changed since it was read.
func drop(ctx context.Context, tx *db.Tx, m mirror) (bool, error) {
	// Update the row first, to lock it and to see the count of a change that is about
	// to be committed.
	current, err := setDone(ctx, tx, m, 0, calendar.Ref{})
	if err != nil || !current {
		return current, err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM calendar_mirror WHERE id = $1`, m.ID); err != nil {
		return false, fmt.Errorf("delete a mirror: %w", err)
	}
	return true, nil
}

// counts returns how many meetings of a connection are pending, and how many were
// refused.
func counts(ctx context.Context, tx *db.Tx, connectionID string) (pending, failed int, err error) {
	err = tx.QueryRow(ctx, `SELECT COALESCE(SUM(CASE WHEN wanted > done THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN wanted = done AND error IS NOT NULL THEN 1 ELSE 0 END), 0)
		FROM calendar_mirror WHERE connection_id = $1`, connectionID).Scan(&pending, &failed)
	if err != nil {
		return 0, 0, fmt.Errorf("count the meetings of a calendar: %w", err)
	}
	return pending, failed, nil
}

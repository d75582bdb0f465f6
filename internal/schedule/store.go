package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

const selectMeetings = `SELECT m.id, m.workspace_id, m.title, m.description, m.starts_at, m.ends_at, m.room_id, room.code, m.recurrence, m.recurrence_until,
	m.timezone, m.created_by, m.created_at, m.updated_at, m.deleted_at, m.revision, m.sequence FROM scheduled_meeting m LEFT JOIN room ON room.id = m.room_id `

func scan(s db.Scanner) (Meeting, error) {
	var (
		m                               Meeting
		description, roomID, code, zone db.Null[string]
		starts, ends, created, updated  int64
		until, deleted                  db.Null[int64]
	)
	err := s.Scan(&m.ID, &m.WorkspaceID, &m.Title, &description, &starts, &ends, &roomID, &code, &m.Recurrence, &until,
		&zone, &m.CreatedBy, &created, &updated, &deleted, &m.Revision, &m.Sequence)
	if err != nil {
		return Meeting{}, err //nolint:wrapcheck // the callers say what they looked for
	}
	m.Description, m.RoomID, m.Timezone, m.RoomCode = db.Pointer(description), db.Pointer(roomID), db.Pointer(zone), code.V
	m.DeletedAt = db.Time(deleted)
	m.StartsAt, m.EndsAt, m.CreatedAt, m.UpdatedAt = db.At(starts), db.At(ends), db.At(created), db.At(updated)
	if until.Valid {
		t := db.At(until.V)
		m.RecurrenceUntil = &t
	}
	return m, nil
}

// storedUntil returns RecurrenceUntil as it is stored.
func (m Meeting) storedUntil() db.Null[int64] {
	if m.RecurrenceUntil == nil {
		return db.Null[int64]{}
	}
	return db.Millis(*m.RecurrenceUntil)
}

// find reads a meeting of a workspace. It returns the same not_found for another
// workspace's meeting, a cancelled one and a text that is not an id.
func find(ctx context.Context, tx *db.Tx, workspaceID, meetingID string) (Meeting, error) {
	m, err := findDeleted(ctx, tx, workspaceID, meetingID)
	if err == nil && m.Deleted() {
		return Meeting{}, fault.Missing()
	}
	return m, err
}

// findManaged reads a meeting for a change. A key may change every meeting of its
// workspace, and so may owners, admins and members whose role manages rooms. Other
// signed-in members may change the meetings they scheduled.
func findManaged(ctx context.Context, tx *db.Tx, p auth.Principal, meetingID string) (Meeting, error) {
	m, err := find(ctx, tx, p.WorkspaceID, meetingID)
	if err == nil && !p.MayChange(m.CreatedBy) {
		err = fault.New(fault.Forbidden, api.CodeMeetingNotManaged,
			"You did not schedule this meeting. The person who did may change and cancel it, and so may owners and admins of the workspace.")
	}
	return m, err
}

// findDeleted reads a meeting of a workspace, even if it is cancelled.
func findDeleted(ctx context.Context, tx *db.Tx, workspaceID, meetingID string) (Meeting, error) {
	if !id.Valid(meetingID) {
		return Meeting{}, fault.Missing()
	}
	m, err := scan(tx.QueryRow(ctx, selectMeetings+`WHERE m.id = $1 AND m.workspace_id = $2`, meetingID, workspaceID))
	if errors.Is(err, db.ErrNoRows) {
		return Meeting{}, fault.Missing()
	}
	if err != nil {
		return Meeting{}, fmt.Errorf("read a scheduled meeting: %w", err)
	}
	return m, nil
}

// schedulersIn returns the accounts that scheduled the meetings of a room.
func schedulersIn(ctx context.Context, tx *db.Tx, roomID string) ([]string, error) {
	ids, err := db.IDs(ctx, tx, `SELECT DISTINCT created_by FROM scheduled_meeting WHERE room_id = $1 AND deleted_at IS NULL ORDER BY created_by`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read who scheduled the meetings of a room: %w", err)
	}
	return ids, nil
}

// mostInRoom is how many series of one room are searched for the next meeting. A
// room with more has a meeting every few minutes anyway.
const mostInRoom = 100

// plannedIn reads the meetings of a room that may be the next one: the soonest that
// does not repeat, and the series that begin before the end of the window and have
// not ended.
func plannedIn(ctx context.Context, tx *db.Tx, roomID string, w window) ([]Meeting, error) {
	const living = selectMeetings + `WHERE m.room_id = $1 AND m.deleted_at IS NULL AND m.starts_at < $2 `
	once, err := db.Query(ctx, tx, scan, living+`AND m.recurrence = 'none' AND m.ends_at > $3 ORDER BY m.starts_at, m.id LIMIT 1`, roomID, w.to, w.from)
	if err != nil {
		return nil, fmt.Errorf("read the next single meeting of a room: %w", err)
	}
	// An occurrence under way may have started when the series ended, at most a day ago.
	series, err := db.Query(ctx, tx, scan, living+`AND m.recurrence <> 'none' AND (m.recurrence_until IS NULL OR m.recurrence_until > $3)
		ORDER BY m.starts_at DESC, m.id LIMIT $4`, roomID, w.to, w.from-longest.Milliseconds(), mostInRoom)
	if err != nil {
		return nil, fmt.Errorf("read the series of a room: %w", err)
	}
	return append(once, series...), nil
}

func leaveRoom(ctx context.Context, tx *db.Tx, roomID string, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE scheduled_meeting SET room_id = NULL, updated_at = $1, sequence = sequence + 1 WHERE room_id = $2`, now.UnixMilli(), roomID)
	if err != nil {
		return fmt.Errorf("remove the room from its meetings: %w", err)
	}
	return nil
}

// once reads the meetings that overlap a window and do not repeat, soonest first. No
// meeting is longer than a day, so the ones under way at the beginning of the window
// are close to it in the index.
func once(ctx context.Context, tx *db.Tx, workspaceID string, w window, limit int) ([]Meeting, error) {
	after := w.after
	if began := (position{start: w.from - longest.Milliseconds(), id: ""}); after.before(began) {
		after = began
	}
	// PostgreSQL cannot infer the types of parameters inside a row.
	meetings, err := db.Query(ctx, tx, scan, selectMeetings+`WHERE m.workspace_id = $1 AND m.recurrence = 'none' AND m.deleted_at IS NULL
		AND (m.starts_at, m.id) > (CAST($2 AS BIGINT), CAST($3 AS TEXT)) AND m.starts_at < $4 AND m.ends_at > $5
		ORDER BY m.starts_at, m.id LIMIT $6`, workspaceID, after.start, after.id, w.to, w.from, limit)
	if err != nil {
		return nil, fmt.Errorf("list meetings that do not repeat: %w", err)
	}
	return meetings, nil
}

// byID reads meetings by their ids. It repeats the last id until the length of the
// list is a power of two, so that the database compiles only a few queries.
func byID(ctx context.Context, tx *db.Tx, ids []string) (map[string]Meeting, error) {
	if len(ids) == 0 {
		return nil, nil //nolint:nilnil // no ids, no meetings
	}
	n := 1
	for n < len(ids) {
		n *= 2
	}
	args := make([]any, n)
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)]
	}
	meetings, err := db.Query(ctx, tx, scan, selectMeetings+`WHERE m.id IN (`+db.In(1, n)+`)`, args...)
	if err != nil {
		return nil, fmt.Errorf("read the series of a list: %w", err)
	}
	found := make(map[string]Meeting, len(meetings))
	for _, m := range meetings {
		found[m.ID] = m
	}
	return found, nil
}

// countLiving counts the meetings of a workspace that are not cancelled. Its two
// subqueries each use an index.
func countLiving(ctx context.Context, tx *db.Tx, workspaceID string) (n int, err error) {
	err = tx.QueryRow(ctx, `SELECT (SELECT COUNT(*) FROM scheduled_meeting WHERE workspace_id = $1 AND recurrence = 'none' AND deleted_at IS NULL)
		+ (SELECT COUNT(*) FROM scheduled_meeting WHERE workspace_id = $1 AND revision > 0 AND recurrence <> 'none' AND deleted_at IS NULL)`, workspaceID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count the meetings of a workspace: %w", err)
	}
	return n, nil
}

func insert(ctx context.Context, tx *db.Tx, m Meeting) error {
	_, err := tx.Exec(ctx, `INSERT INTO scheduled_meeting (id, workspace_id, title, description, starts_at, ends_at, room_id, recurrence, recurrence_until, timezone,
		created_by, created_at, updated_at, deleted_at, revision) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, NULL, $14)`,
		m.ID, m.WorkspaceID, m.Title, m.Description, m.StartsAt.UnixMilli(), m.EndsAt.UnixMilli(), m.RoomID, m.Recurrence, m.storedUntil(), m.Timezone,
		m.CreatedBy, m.CreatedAt.UnixMilli(), m.UpdatedAt.UnixMilli(), m.Revision)
	if err != nil {
		return fmt.Errorf("store the scheduled meeting: %w", err)
	}
	return nil
}

func update(ctx context.Context, tx *db.Tx, m Meeting) error {
	_, err := tx.Exec(ctx, `UPDATE scheduled_meeting SET title = $1, description = $2, starts_at = $3, ends_at = $4, room_id = $5, recurrence = $6,
		recurrence_until = $7, timezone = $8, updated_at = $9, deleted_at = $10, revision = $11, sequence = $12 WHERE id = $13`,
		m.Title, m.Description, m.StartsAt.UnixMilli(), m.EndsAt.UnixMilli(), m.RoomID, m.Recurrence,
		m.storedUntil(), m.Timezone, m.UpdatedAt.UnixMilli(), db.Millis(m.DeletedAt), m.Revision, m.Sequence, m.ID)
	if err != nil {
		return fmt.Errorf("change the scheduled meeting: %w", err)
	}
	return nil
}

// cancelledBefore returns the ids of meetings that were cancelled before a time.
func cancelledBefore(ctx context.Context, tx *db.Tx, before time.Time, many int) ([]string, error) {
	ids, err := db.IDs(ctx, tx, `SELECT id FROM scheduled_meeting WHERE deleted_at < $1 ORDER BY deleted_at LIMIT $2`, before.UnixMilli(), many)
	if err != nil {
		return nil, fmt.Errorf("find old cancelled meetings: %w", err)
	}
	return ids, nil
}

func deleteMeetings(ctx context.Context, tx *db.Tx, ids []string) error {
	if err := db.Delete(ctx, tx, "scheduled_meeting", "id", ids); err != nil {
		return fmt.Errorf("delete scheduled meetings: %w", err)
	}
	return nil
}

package seat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Running says whether people meet in a room now.
func Running(ctx context.Context, tx *db.Tx, roomID string) (bool, error) {
	m, err := RunningMeeting(ctx, tx, roomID)
	return m != nil, err
}

// RunningMeeting reads the meeting that runs in a room; nil when none does.
func RunningMeeting(ctx context.Context, tx *db.Tx, roomID string) (*Meeting, error) {
	var (
		m       = Meeting{RoomID: roomID}
		started int64
		emptied db.Null[int64]
	)
	err := tx.QueryRow(ctx, `SELECT id, workspace_id, started_at, emptied_at, host_joined FROM live_meeting WHERE room_id = $1 AND ended_at IS NULL`, roomID).
		Scan(&m.ID, &m.WorkspaceID, &started, &emptied, &m.HostJoined)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // no meeting is an answer, not an error
	}
	if err != nil {
		return nil, fmt.Errorf("read the running meeting: %w", err)
	}
	m.StartedAt, m.EmptiedAt = db.At(started), db.Time(emptied)
	return &m, nil
}

// InsertMeeting writes a meeting that starts.
func InsertMeeting(ctx context.Context, tx *db.Tx, m Meeting) error {
	_, err := tx.Exec(ctx, `INSERT INTO live_meeting (id, room_id, workspace_id, started_at) VALUES ($1, $2, $3, $4)`,
		m.ID, m.RoomID, m.WorkspaceID, m.StartedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("start the meeting: %w", err)
	}
	return nil
}

// SetEmptied notes since when nobody is in a meeting; the zero time when somebody
// is in.
func SetEmptied(ctx context.Context, tx *db.Tx, meetingID string, at time.Time) error {
	if _, err := tx.Exec(ctx, `UPDATE live_meeting SET emptied_at = $1 WHERE id = $2`, db.Millis(at), meetingID); err != nil {
		return fmt.Errorf("note that the meeting is empty: %w", err)
	}
	return nil
}

// LastJoined reads when somebody last came into a meeting; the zero time when no seat of
// the meeting is left.
func LastJoined(ctx context.Context, tx *db.Tx, m Meeting) (time.Time, error) {
	var joined db.Null[int64]
	err := tx.QueryRow(ctx, `SELECT MAX(joined_at) FROM seat WHERE room_id = $1 AND meeting_id = $2`, m.RoomID, m.ID).Scan(&joined)
	if err != nil {
		return time.Time{}, fmt.Errorf("read when somebody last came into the meeting: %w", err)
	}
	return db.Time(joined), nil
}

// EndMeeting closes a meeting and the seats of people who could come back.
func EndMeeting(ctx context.Context, tx *db.Tx, m Meeting, at time.Time, reason string) error {
	if _, err := tx.Exec(ctx, `UPDATE live_meeting SET ended_at = $1, end_reason = $2 WHERE id = $3`, at.UnixMilli(), reason, m.ID); err != nil {
		return fmt.Errorf("end the meeting: %w", err)
	}
	if _, err := tx.Exec(ctx, `UPDATE seat SET status = 'over', breakout_id = NULL WHERE room_id = $1 AND status IN ('in', 'lost', 'left')`, m.RoomID); err != nil {
		return fmt.Errorf("close the seats: %w", err)
	}
	// What hosts gave and refused ends with the meeting, also on seats that were let
	// through and have not connected.
	if _, err := tx.Exec(ctx, `UPDATE seat SET admitted = FALSE, denials = 0, cohost = FALSE, on_stage = FALSE, spotlit_at = NULL
		WHERE room_id = $1 AND (admitted OR denials > 0 OR cohost OR on_stage OR spotlit_at IS NOT NULL)`, m.RoomID); err != nil {
		return fmt.Errorf("forget what hosts gave and refused in a meeting: %w", err)
	}
	return nil
}

// BusyRooms is the query for the rooms in which a meeting runs, or somebody was
// let through since the moment $1 and was not seen. Package live combines it with
// a query of its own.
const BusyRooms = `SELECT room_id FROM live_meeting WHERE ended_at IS NULL
	UNION SELECT room_id FROM seat WHERE status = 'new' AND admitted_at > $1`

// Busy says the same of one room.
func Busy(ctx context.Context, tx *db.Tx, roomID string, since time.Time) (bool, error) {
	var n int
	err := tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM live_meeting WHERE room_id = $1 AND ended_at IS NULL)
		+ (SELECT count(*) FROM seat WHERE room_id = $1 AND status = 'new' AND admitted_at > $2)`, roomID, since.UnixMilli()).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("find out whether people meet: %w", err)
	}
	return n > 0, nil
}

// SetHostJoined notes that one of the room's own hosts is in the meeting.
func SetHostJoined(ctx context.Context, tx *db.Tx, meetingID string) error {
	if _, err := tx.Exec(ctx, `UPDATE live_meeting SET host_joined = TRUE WHERE id = $1`, meetingID); err != nil {
		return fmt.Errorf("note that a host has joined: %w", err)
	}
	return nil
}

// OldMeetings finds meetings that ended before a moment.
func OldMeetings(ctx context.Context, tx *db.Tx, before time.Time, many int) ([]string, error) {
	ids, err := db.IDs(ctx, tx, `SELECT id FROM live_meeting WHERE ended_at < $1 LIMIT $2`, before.UnixMilli(), many)
	if err != nil {
		return nil, fmt.Errorf("find old meetings: %w", err)
	}
	return ids, nil
}

// DeleteMeetings deletes meetings that have ended.
func DeleteMeetings(ctx context.Context, tx *db.Tx, ids []string) error {
	if err := db.Delete(ctx, tx, "live_meeting", "id", ids); err != nil {
		return fmt.Errorf("delete old meetings: %w", err)
	}
	return nil
}

// HostJoined says whether one of the room's own hosts has been in the meeting
// that runs.
func HostJoined(ctx context.Context, tx *db.Tx, roomID string) (bool, error) {
	m, err := RunningMeeting(ctx, tx, roomID)
	return m != nil && m.HostJoined, err
}

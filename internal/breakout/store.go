package breakout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

const sessionColumns = `id, room_id, workspace_id, status, auto_join, allow_return, self_select, duration_seconds, started_by, started_at, ends_at, closed_at`

func scanSession(row db.Scanner) (Session, error) {
	var (
		s            Session
		status       string
		duration     db.Null[int64]
		started      int64
		ends, closed db.Null[int64]
	)
	err := row.Scan(&s.ID, &s.RoomID, &s.WorkspaceID, &status, &s.AutoJoin, &s.AllowReturn, &s.SelfSelect, &duration, &s.StartedBy, &started, &ends, &closed)
	if err != nil {
		return Session{}, err //nolint:wrapcheck // the callers add what they looked for
	}
	if duration.Valid {
		seconds := int(duration.V)
		s.Duration = &seconds
	}
	s.Status, s.StartedAt, s.EndsAt, s.ClosedAt = Status(status), db.At(started), db.Time(ends), db.Time(closed)
	return s, nil
}

// running reads the session that runs in a room, whole; nil when none does.
func running(ctx context.Context, tx *db.Tx, roomID string) (*Session, error) {
	s, err := scanSession(tx.QueryRow(ctx, `SELECT `+sessionColumns+` FROM breakout_session WHERE room_id = $1 AND closed_at IS NULL`, roomID))
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // no session is an answer, not an error
	}
	if err != nil {
		return nil, fmt.Errorf("read the open session: %w", err)
	}
	return &s, fill(ctx, tx, &s)
}

// fill reads the rooms and the placements of a session.
func fill(ctx context.Context, tx *db.Tx, s *Session) (err error) {
	s.Rooms, err = db.Query(ctx, tx, func(row db.Scanner) (r Room, err error) {
		return r, row.Scan(&r.ID, &r.Name, &r.Position)
	}, `SELECT id, name, position FROM breakout WHERE session_id = $1 ORDER BY position`, s.ID)
	if err != nil {
		return fmt.Errorf("read the rooms of a session: %w", err)
	}
	s.Placements, err = db.Query(ctx, tx, func(row db.Scanner) (Placement, error) {
		var (
			p  Placement
			in db.Null[string]
		)
		err := row.Scan(&p.Person, &p.Name, &in, &p.Belongs, &p.CanReturn)
		p.BreakoutID = in.V
		return p, err //nolint:wrapcheck // wrapped below
	}, `SELECT person, name, breakout_id, inside, can_return FROM breakout_person WHERE session_id = $1 ORDER BY name, person`, s.ID)
	if err != nil {
		return fmt.Errorf("read the placements of a session: %w", err)
	}
	return nil
}

// over reads the last sessions that are over, newest first.
func over(ctx context.Context, tx *db.Tx, roomID string, limit int) ([]Session, error) {
	sessions, err := db.Query(ctx, tx, scanSession, `SELECT `+sessionColumns+` FROM breakout_session
		WHERE room_id = $1 AND closed_at IS NOT NULL ORDER BY closed_at DESC, id DESC LIMIT $2`, roomID, limit)
	if err != nil {
		return nil, fmt.Errorf("read the sessions that are over: %w", err)
	}
	for i := range sessions {
		if err := fill(ctx, tx, &sessions[i]); err != nil {
			return nil, err
		}
	}
	return sessions, nil
}

// due lists the rooms whose session should have ended by now.
func due(ctx context.Context, tx *db.Tx, now time.Time) ([]string, error) {
	ids, err := db.Query(ctx, tx, func(row db.Scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT room_id FROM breakout_session WHERE closed_at IS NULL AND deadline <= $1 ORDER BY deadline`, now.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("list the sessions whose time is over: %w", err)
	}
	return ids, nil
}

func insertSession(ctx context.Context, tx *db.Tx, s Session) error {
	var duration db.Null[int64]
	if s.Duration != nil {
		duration = db.Some(int64(*s.Duration))
	}
	_, err := tx.Exec(ctx, `INSERT INTO breakout_session (`+sessionColumns+`, deadline)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		s.ID, s.RoomID, s.WorkspaceID, string(s.Status), s.AutoJoin, s.AllowReturn, s.SelfSelect, duration, s.StartedBy, s.StartedAt.UnixMilli(),
		db.Millis(s.EndsAt), db.Millis(s.ClosedAt), s.deadline().UnixMilli())
	if err != nil {
		return fmt.Errorf("open a session: %w", err)
	}
	return nil
}

// saveEnd writes what changes about a session: its status and when it ends.
func saveEnd(ctx context.Context, tx *db.Tx, s Session) error {
	_, err := tx.Exec(ctx, `UPDATE breakout_session SET status = $1, ends_at = $2, deadline = $3, closed_at = $4 WHERE id = $5`,
		string(s.Status), db.Millis(s.EndsAt), s.deadline().UnixMilli(), db.Millis(s.ClosedAt), s.ID)
	if err != nil {
		return fmt.Errorf("note a session's end: %w", err)
	}
	return nil
}

func saveRoom(ctx context.Context, tx *db.Tx, sessionID string, r Room) error {
	_, err := tx.Exec(ctx, `INSERT INTO breakout (id, session_id, position, name) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name`, r.ID, sessionID, r.Position, r.Name)
	if err != nil {
		return fmt.Errorf("keep a breakout room: %w", err)
	}
	return nil
}

// deleteRoom deletes a room; the people assigned to it are assigned to none.
func deleteRoom(ctx context.Context, tx *db.Tx, sessionID, breakoutID string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM breakout WHERE id = $1`, breakoutID); err != nil {
		return fmt.Errorf("delete a breakout room: %w", err)
	}
	_, err := tx.Exec(ctx, `UPDATE breakout_person SET breakout_id = NULL, inside = FALSE WHERE session_id = $1 AND breakout_id = $2`, sessionID, breakoutID)
	if err != nil {
		return fmt.Errorf("take people out of a breakout room: %w", err)
	}
	return nil
}

func savePlacement(ctx context.Context, tx *db.Tx, sessionID string, p Placement) error {
	_, err := tx.Exec(ctx, `INSERT INTO breakout_person (session_id, person, name, breakout_id, inside, can_return) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (session_id, person) DO UPDATE SET
			name = excluded.name, breakout_id = excluded.breakout_id, inside = excluded.inside, can_return = excluded.can_return`,
		sessionID, p.Person, p.Name, db.Text(p.BreakoutID), p.Belongs, p.CanReturn)
	if err != nil {
		return fmt.Errorf("place somebody: %w", err)
	}
	return nil
}

// renamePlacement changes the name of a person who was placed in the running session
// of a room.
func renamePlacement(ctx context.Context, tx *db.Tx, roomID, person, name string) error {
	_, err := tx.Exec(ctx, `UPDATE breakout_person SET name = $1 WHERE person = $2
		AND session_id IN (SELECT id FROM breakout_session WHERE room_id = $3 AND closed_at IS NULL)`, name, person, roomID)
	if err != nil {
		return fmt.Errorf("rename somebody who was placed: %w", err)
	}
	return nil
}

// announcement is the last announcement in a session.
type announcement struct {
	ID      string
	Message string
	From    string // "" for the API
	At      time.Time
}

func saveAnnouncement(ctx context.Context, tx *db.Tx, sessionID string, a announcement) error {
	_, err := tx.Exec(ctx, `INSERT INTO breakout_announcement (session_id, id, message, sender, sent_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (session_id) DO UPDATE SET id = excluded.id, message = excluded.message, sender = excluded.sender, sent_at = excluded.sent_at`,
		sessionID, a.ID, a.Message, db.Text(a.From), a.At.UnixMilli())
	if err != nil {
		return fmt.Errorf("keep an announcement: %w", err)
	}
	return nil
}

// lastAnnouncement reads the last announcement; nil when there was none.
func lastAnnouncement(ctx context.Context, tx *db.Tx, sessionID string) (*announcement, error) {
	var (
		a    announcement
		from db.Null[string]
		at   int64
	)
	err := tx.QueryRow(ctx, `SELECT id, message, sender, sent_at FROM breakout_announcement WHERE session_id = $1`, sessionID).Scan(&a.ID, &a.Message, &from, &at)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // none is an answer, not an error
	}
	if err != nil {
		return nil, fmt.Errorf("read the last announcement: %w", err)
	}
	a.From, a.At = from.V, db.At(at)
	return &a, nil
}

// unseen finds the sessions that are over and that the history does not show.
func unseen(ctx context.Context, tx *db.Tx, many int) ([]string, error) {
	ids, err := db.IDs(ctx, tx, `SELECT past.id FROM (
			SELECT id, room_id, ROW_NUMBER() OVER (PARTITION BY room_id ORDER BY closed_at DESC, id DESC) AS place
			FROM breakout_session WHERE closed_at IS NOT NULL) past
		JOIN room r ON r.id = past.room_id WHERE past.place > $1 OR r.deleted_at IS NOT NULL LIMIT $2`, historyLength, many)
	if err != nil {
		return nil, fmt.Errorf("find old sessions: %w", err)
	}
	return ids, nil
}

// deleteSessions deletes sessions with their rooms, placements and announcements.
func deleteSessions(ctx context.Context, tx *db.Tx, ids []string) error {
	for _, table := range []string{"breakout_announcement", "breakout_person", "breakout"} {
		if err := db.Delete(ctx, tx, table, "session_id", ids); err != nil {
			return fmt.Errorf("delete what is left of old sessions: %w", err)
		}
	}
	if err := db.Delete(ctx, tx, "breakout_session", "id", ids); err != nil {
		return fmt.Errorf("delete old sessions: %w", err)
	}
	return nil
}

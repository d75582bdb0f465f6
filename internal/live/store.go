package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
)

const seatColumns = `room_id, workspace_id, identity, meeting_id, kind, link_id, name, role, avatar, status, ticket_hash, own_interface,
	entry_handled, generation, missing_since, admitted_at, hand_raised_at, joined_at, created_at, cohost, on_stage, muted_at, left_at,
	admitted, denials, waiting_since, away_at, breakout_id, placed_at, late, late_at, network`

func scanSeat(s db.Scanner) (Seat, error) {
	var (
		seat                  Seat
		meeting, link, ticket db.Null[string]
		missing, hand, joined db.Null[int64]
		muted, gone           db.Null[int64]
		waiting, away, placed db.Null[int64]
		late                  db.Null[int64]
		breakout              db.Null[string]
		admitted, created     int64
		kind, role, status    string
	)
	err := s.Scan(&seat.RoomID, &seat.WorkspaceID, &seat.Identity, &meeting, &kind, &link, &seat.Name, &role, &seat.Avatar, &status, &ticket,
		&seat.OwnInterface, &seat.EntryHandled, &seat.Generation, &missing, &admitted, &hand, &joined, &created,
		&seat.Cohost, &seat.OnStage, &muted, &gone, &seat.Admitted, &seat.Denials, &waiting, &away,
		&breakout, &placed, &seat.Late, &late, &seat.Network)
	if err != nil {
		return Seat{}, err //nolint:wrapcheck // the callers say what they looked for
	}
	seat.MeetingID, seat.LinkID, seat.TicketHash = meeting.V, link.V, ticket.V
	seat.Kind, seat.Role, seat.Status = Kind(kind), api.Role(role), Status(status)
	seat.MissingSince, seat.HandRaisedAt, seat.JoinedAt = db.Time(missing), db.Time(hand), db.Time(joined)
	seat.MutedAt, seat.LeftAt = db.Time(muted), db.Time(gone)
	seat.WaitingSince, seat.AwayAt = db.Time(waiting), db.Time(away)
	seat.BreakoutID, seat.PlacedAt, seat.LateAt = breakout.V, db.Time(placed), db.Time(late)
	seat.AdmittedAt, seat.CreatedAt = time.UnixMilli(admitted).UTC(), time.UnixMilli(created).UTC()
	return seat, nil
}

// SaveSeat writes a seat, new or not.
func SaveSeat(ctx context.Context, tx *db.Tx, s Seat) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO seat (`+seatColumns+`, person) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33)
		ON CONFLICT (room_id, identity) DO UPDATE SET
			meeting_id = excluded.meeting_id, kind = excluded.kind, link_id = excluded.link_id, name = excluded.name, role = excluded.role,
			avatar = excluded.avatar, status = excluded.status, ticket_hash = excluded.ticket_hash, own_interface = excluded.own_interface,
			entry_handled = excluded.entry_handled, generation = excluded.generation,
			missing_since = excluded.missing_since, admitted_at = excluded.admitted_at, hand_raised_at = excluded.hand_raised_at,
			joined_at = excluded.joined_at, cohost = excluded.cohost, on_stage = excluded.on_stage, muted_at = excluded.muted_at,
			left_at = excluded.left_at, admitted = excluded.admitted, denials = excluded.denials, waiting_since = excluded.waiting_since,
			away_at = excluded.away_at, breakout_id = excluded.breakout_id, placed_at = excluded.placed_at,
			late = excluded.late, late_at = excluded.late_at, network = excluded.network`,
		s.RoomID, s.WorkspaceID, s.Identity, db.Text(s.MeetingID), string(s.Kind), db.Text(s.LinkID), s.Name, string(s.Role), s.Avatar, string(s.Status),
		db.Text(s.TicketHash), s.OwnInterface, s.EntryHandled, s.Generation, db.Millis(s.MissingSince), s.AdmittedAt.UnixMilli(),
		db.Millis(s.HandRaisedAt), db.Millis(s.JoinedAt), s.CreatedAt.UnixMilli(), s.Cohost, s.OnStage, db.Millis(s.MutedAt), db.Millis(s.LeftAt),
		s.Admitted, s.Denials, db.Millis(s.WaitingSince), db.Millis(s.AwayAt), db.Text(s.BreakoutID), db.Millis(s.PlacedAt), s.Late, db.Millis(s.LateAt), s.networkKept(), Person(s.Identity))
	if err != nil {
		return fmt.Errorf("keep the seat of %s: %w", s.Identity, err)
	}
	return nil
}

// SeatByIdentity reads a seat of a room; nil when nobody ever had it.
func SeatByIdentity(ctx context.Context, tx *db.Tx, roomID, identity string) (*Seat, error) {
	if !canName(identity) {
		return nil, nil //nolint:nilnil // nobody has it
	}
	return oneSeat(tx.QueryRow(ctx, `SELECT `+seatColumns+` FROM seat WHERE room_id = $1 AND identity = $2`, roomID, identity))
}

// seatByTicket reads the seat a ticket belongs to; nil when there is none.
func seatByTicket(ctx context.Context, tx *db.Tx, ticketHash string) (*Seat, error) {
	return oneSeat(tx.QueryRow(ctx, `SELECT `+seatColumns+` FROM seat WHERE ticket_hash = $1`, ticketHash))
}

// SeatOfLink reads the living seat of somebody who joined with a link; nil
// when there is none.
func SeatOfLink(ctx context.Context, tx *db.Tx, linkID string) (*Seat, error) {
	return oneSeat(tx.QueryRow(ctx, `SELECT `+seatColumns+` FROM seat WHERE link_id = $1 AND status IN ('new', 'in', 'lost')
		ORDER BY admitted_at DESC LIMIT 1`, linkID))
}

func oneSeat(row *db.Row) (*Seat, error) {
	s, err := scanSeat(row)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // no seat is an answer, not an error
	}
	if err != nil {
		return nil, fmt.Errorf("read a seat: %w", err)
	}
	return &s, nil
}

// readState reads what is remembered of a room: of those who were let through
// and were not seen, as long as they may still come.
func readState(ctx context.Context, tx *db.Tx, roomID string, now time.Time) (state, error) {
	r, err := room.ByID(ctx, tx, roomID)
	if err != nil {
		return state{}, err
	}
	st := state{Room: r}
	if st.Meeting, err = runningMeeting(ctx, tx, roomID); err != nil {
		return state{}, err
	}
	st.Seats, err = db.Query(ctx, tx, scanSeat, `SELECT `+seatColumns+` FROM seat
		WHERE room_id = $1 AND status IN ('new', 'in', 'lost') AND (status <> 'new' OR admitted_at > $2) ORDER BY identity`, roomID, now.Add(-unusedFor).UnixMilli())
	if err != nil {
		return state{}, fmt.Errorf("read the seats: %w", err)
	}
	st.Breakouts, err = mediaOf(ctx, tx, roomID)
	return st, err
}

// seatsOf reads the seats of one person in a room: those of an identity, or
// of the person before its dot.
func seatsOf(ctx context.Context, tx *db.Tx, roomID, person string) ([]Seat, error) {
	if !canName(person) {
		return nil, nil
	}
	seats, err := db.Query(ctx, tx, scanSeat, `SELECT `+seatColumns+` FROM seat
		WHERE room_id = $1 AND person = $2 ORDER BY joined_at, identity`, roomID, person)
	if err != nil {
		return nil, fmt.Errorf("read a person's seats: %w", err)
	}
	return seats, nil
}

// SeatsOfPerson reads the seats of one person in a room, those that are over too.
func SeatsOfPerson(ctx context.Context, tx *db.Tx, roomID, person string) ([]Seat, error) {
	return seatsOf(ctx, tx, roomID, person)
}

// RemovedFromMeeting says whether a person was removed from the meeting that
// runs in a room.
func RemovedFromMeeting(ctx context.Context, tx *db.Tx, roomID, person string) (bool, error) {
	meeting, err := runningMeeting(ctx, tx, roomID)
	if err != nil || meeting == nil {
		return false, err
	}
	seats, err := seatsOf(ctx, tx, roomID, person)
	return slices.ContainsFunc(seats, func(s Seat) bool {
		return s.Status == Removed && !s.LeftAt.Before(meeting.StartedAt)
	}), err
}

// seatsIn reads the seats of those who are in, oldest first.
func seatsIn(ctx context.Context, tx *db.Tx, roomID string) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scanSeat, `SELECT `+seatColumns+` FROM seat WHERE room_id = $1 AND status = 'in' ORDER BY joined_at, identity`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read who is in: %w", err)
	}
	return seats, nil
}

func runningMeeting(ctx context.Context, tx *db.Tx, roomID string) (*Meeting, error) {
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
	m.StartedAt, m.EmptiedAt = time.UnixMilli(started).UTC(), db.Time(emptied)
	return &m, nil
}

func insertMeeting(ctx context.Context, tx *db.Tx, m Meeting) error {
	_, err := tx.Exec(ctx, `INSERT INTO live_meeting (id, room_id, workspace_id, started_at) VALUES ($1, $2, $3, $4)`,
		m.ID, m.RoomID, m.WorkspaceID, m.StartedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("start the meeting: %w", err)
	}
	return nil
}

func setEmptied(ctx context.Context, tx *db.Tx, meetingID string, at time.Time) error {
	if _, err := tx.Exec(ctx, `UPDATE live_meeting SET emptied_at = $1 WHERE id = $2`, db.Millis(at), meetingID); err != nil {
		return fmt.Errorf("note that the meeting is empty: %w", err)
	}
	return nil
}

// endMeeting closes a meeting and the seats of those who could come back.
func endMeeting(ctx context.Context, tx *db.Tx, m Meeting, at time.Time, reason string) error {
	if _, err := tx.Exec(ctx, `UPDATE live_meeting SET ended_at = $1, end_reason = $2 WHERE id = $3`, at.UnixMilli(), reason, m.ID); err != nil {
		return fmt.Errorf("end the meeting: %w", err)
	}
	if _, err := tx.Exec(ctx, `UPDATE seat SET status = 'over', breakout_id = NULL WHERE room_id = $1 AND status IN ('in', 'lost', 'left')`, m.RoomID); err != nil {
		return fmt.Errorf("close the seats: %w", err)
	}
	// What hosts gave somebody lasts until the meeting ends, also for whoever
	// was let through and has not connected.
	if _, err := tx.Exec(ctx, `UPDATE seat SET admitted = FALSE, cohost = FALSE, on_stage = FALSE WHERE room_id = $1 AND (admitted OR cohost OR on_stage)`, m.RoomID); err != nil {
		return fmt.Errorf("take back what lasts for a meeting: %w", err)
	}
	return nil
}

// revision reads how often what people are shown of the room has changed; 0
// before anybody was let in.
func revision(ctx context.Context, tx *db.Tx, roomID string) (int64, error) {
	var n int64
	err := tx.QueryRow(ctx, `SELECT revision FROM live_room WHERE room_id = $1`, roomID).Scan(&n)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return 0, fmt.Errorf("read the room's revision: %w", err)
	}
	return n, nil
}

// bump raises the room's revision, so that devices which follow the room read
// it again.
func bump(ctx context.Context, tx *db.Tx, roomID string) error {
	_, err := tx.Exec(ctx, `INSERT INTO live_room (room_id, passphrase, passphrase_until, revision) VALUES ($1, '', 0, 1)
		ON CONFLICT (room_id) DO UPDATE SET revision = live_room.revision + 1`, roomID)
	if err != nil {
		return fmt.Errorf("raise the room's revision: %w", err)
	}
	return nil
}

// busyRooms lists the rooms that Tick looks at: a meeting runs, somebody was
// let through since the given moment, or a breakout was closed and its media
// room may be there still.
func busyRooms(ctx context.Context, tx *db.Tx, since time.Time) ([]string, error) {
	ids, err := db.Query(ctx, tx, func(s db.Scanner) (id string, err error) { return id, s.Scan(&id) },
		`SELECT room_id FROM live_meeting WHERE ended_at IS NULL
		 UNION SELECT room_id FROM seat WHERE status = 'new' AND admitted_at > $1
		 UNION SELECT room_id FROM breakout_media WHERE closed_at IS NOT NULL`, since.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("list the rooms where people meet: %w", err)
	}
	return ids, nil
}

// busy says the same of one room.
func busy(ctx context.Context, tx *db.Tx, roomID string, since time.Time) (bool, error) {
	var n int
	err := tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM live_meeting WHERE room_id = $1 AND ended_at IS NULL)
		+ (SELECT count(*) FROM seat WHERE room_id = $1 AND status = 'new' AND admitted_at > $2)`, roomID, since.UnixMilli()).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("find out whether people meet: %w", err)
	}
	return n > 0, nil
}

// deleteOldSeats deletes seats that nobody can come back to, last let through
// and last in before one moment, and those that nobody ever took, given before
// another. Whom a host let in keeps that as long as the others.
func deleteOldSeats(ctx context.Context, tx *db.Tx, before, unused time.Time) error {
	_, err := tx.Exec(ctx, `DELETE FROM seat WHERE status IN ('new', 'left', 'removed', 'over', 'denied', 'expired') AND admitted_at < $1
		AND (left_at IS NULL OR left_at < $1)`, before.UnixMilli())
	if err != nil {
		return fmt.Errorf("delete old seats: %w", err)
	}
	_, err = tx.Exec(ctx, `DELETE FROM seat WHERE status = 'new' AND NOT admitted AND admitted_at < $1`, unused.UnixMilli())
	if err != nil {
		return fmt.Errorf("delete seats that nobody took: %w", err)
	}
	return nil
}

func setHostJoined(ctx context.Context, tx *db.Tx, meetingID string) error {
	if _, err := tx.Exec(ctx, `UPDATE live_meeting SET host_joined = TRUE WHERE id = $1`, meetingID); err != nil {
		return fmt.Errorf("note that a host has joined: %w", err)
	}
	return nil
}

func oldMeetings(ctx context.Context, tx *db.Tx, before time.Time, many int) ([]string, error) {
	ids, err := db.IDs(ctx, tx, `SELECT id FROM live_meeting WHERE ended_at < $1 LIMIT $2`, before.UnixMilli(), many)
	if err != nil {
		return nil, fmt.Errorf("find old meetings: %w", err)
	}
	return ids, nil
}

func deleteMeetings(ctx context.Context, tx *db.Tx, ids []string) error {
	if err := db.Delete(ctx, tx, "live_meeting", "id", ids); err != nil {
		return fmt.Errorf("delete old meetings: %w", err)
	}
	return nil
}

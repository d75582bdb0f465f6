package seat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
)

// columns are the columns of a seat. admitted_at holds LetThroughAt: it got its name
// before there was a waiting room, and has nothing to do with admitted, which says
// that a host let the person in. entry_handled holds MicrophoneHandled.
const columns = `room_id, workspace_id, identity, meeting_id, kind, link_id, name, role, avatar, status, ticket_hash, own_interface,
	entry_handled, generation, missing_since, admitted_at, hand_raised_at, joined_at, created_at, cohost, on_stage, muted_at, left_at,
	admitted, denials, waiting_since, away_at, breakout_id, placed_at, late, late_at, network, strict,
	camera_stopped_at, asked_to_unmute_at, spotlit_at, own_name, renamed_at, arriving_for, arriving_at, camera_handled`

func scan(s db.Scanner) (Seat, error) {
	var (
		seat                  Seat
		meeting, link, ticket db.Null[string]
		missing, hand, joined db.Null[int64]
		muted, gone           db.Null[int64]
		waiting, away, placed db.Null[int64]
		late, stopped, asked  db.Null[int64]
		spotlit, renamed      db.Null[int64]
		arriving              db.Null[int64]
		breakout              db.Null[string]
		admitted, created     int64
		arrivingFor           int64
		kind, role, status    string
	)
	err := s.Scan(&seat.RoomID, &seat.WorkspaceID, &seat.Identity, &meeting, &kind, &link, &seat.Name, &role, &seat.Avatar, &status, &ticket,
		&seat.OwnInterface, &seat.MicrophoneHandled, &seat.Generation, &missing, &admitted, &hand, &joined, &created,
		&seat.Cohost, &seat.OnStage, &muted, &gone, &seat.Admitted, &seat.Denials, &waiting, &away,
		&breakout, &placed, &seat.Late, &late, &seat.Network, &seat.Strict, &stopped, &asked, &spotlit,
		&seat.OwnName, &renamed, &arrivingFor, &arriving, &seat.CameraHandled)
	if err != nil {
		return Seat{}, err //nolint:wrapcheck // the callers add what they looked for
	}
	seat.MeetingID, seat.LinkID, seat.TicketHash = meeting.V, link.V, ticket.V
	seat.Kind, seat.Role, seat.Status = Kind(kind), api.Role(role), Status(status)
	seat.MissingSince, seat.HandRaisedAt, seat.JoinedAt = db.Time(missing), db.Time(hand), db.Time(joined)
	seat.MutedAt, seat.LeftAt = db.Time(muted), db.Time(gone)
	seat.WaitingSince, seat.AwayAt = db.Time(waiting), db.Time(away)
	seat.BreakoutID, seat.PlacedAt, seat.LateAt = breakout.V, db.Time(placed), db.Time(late)
	seat.CameraStoppedAt, seat.AskedToUnmuteAt, seat.SpotlitAt = db.Time(stopped), db.Time(asked), db.Time(spotlit)
	seat.RenamedAt = db.Time(renamed)
	seat.ArrivingFor, seat.ArrivingAt = time.Duration(arrivingFor)*time.Millisecond, db.Time(arriving)
	seat.LetThroughAt, seat.CreatedAt = db.At(admitted), db.At(created)
	return seat, nil
}

// Save writes a seat, new or not.
func Save(ctx context.Context, tx *db.Tx, s Seat) error {
	_, err := tx.Exec(ctx, `
		INSERT INTO seat (`+columns+`, person) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42)
		ON CONFLICT (room_id, identity) DO UPDATE SET
			meeting_id = excluded.meeting_id, kind = excluded.kind, link_id = excluded.link_id, name = excluded.name, role = excluded.role,
			avatar = excluded.avatar, status = excluded.status, ticket_hash = excluded.ticket_hash, own_interface = excluded.own_interface,
			entry_handled = excluded.entry_handled, generation = excluded.generation,
			missing_since = excluded.missing_since, admitted_at = excluded.admitted_at, hand_raised_at = excluded.hand_raised_at,
			joined_at = excluded.joined_at, cohost = excluded.cohost, on_stage = excluded.on_stage, muted_at = excluded.muted_at,
			left_at = excluded.left_at, admitted = excluded.admitted, denials = excluded.denials, waiting_since = excluded.waiting_since,
			away_at = excluded.away_at, breakout_id = excluded.breakout_id, placed_at = excluded.placed_at,
			late = excluded.late, late_at = excluded.late_at, network = excluded.network, strict = excluded.strict,
			camera_stopped_at = excluded.camera_stopped_at, asked_to_unmute_at = excluded.asked_to_unmute_at, spotlit_at = excluded.spotlit_at,
			own_name = excluded.own_name, renamed_at = excluded.renamed_at,
			arriving_for = excluded.arriving_for, arriving_at = excluded.arriving_at, camera_handled = excluded.camera_handled`,
		s.RoomID, s.WorkspaceID, s.Identity, db.Text(s.MeetingID), string(s.Kind), db.Text(s.LinkID), s.Name, string(s.Role), s.Avatar, string(s.Status),
		db.Text(s.TicketHash), s.OwnInterface, s.MicrophoneHandled, s.Generation, db.Millis(s.MissingSince), s.LetThroughAt.UnixMilli(),
		db.Millis(s.HandRaisedAt), db.Millis(s.JoinedAt), s.CreatedAt.UnixMilli(), s.Cohost, s.OnStage, db.Millis(s.MutedAt), db.Millis(s.LeftAt),
		s.Admitted, s.Denials, db.Millis(s.WaitingSince), db.Millis(s.AwayAt), db.Text(s.BreakoutID), db.Millis(s.PlacedAt), s.Late, db.Millis(s.LateAt), s.networkKept(), s.Strict,
		db.Millis(s.CameraStoppedAt), db.Millis(s.AskedToUnmuteAt), db.Millis(s.SpotlitAt), s.OwnName, db.Millis(s.RenamedAt),
		s.ArrivingFor.Milliseconds(), db.Millis(s.ArrivingAt), s.CameraHandled, Person(s.Identity))
	if err != nil {
		return fmt.Errorf("keep the seat of %s: %w", s.Identity, err)
	}
	return nil
}

// ByIdentity reads a seat of a room; nil when nobody ever had it.
func ByIdentity(ctx context.Context, tx *db.Tx, roomID, identity string) (*Seat, error) {
	if !canName(identity) {
		return nil, nil //nolint:nilnil // no seat can have it
	}
	return one(tx.QueryRow(ctx, `SELECT `+columns+` FROM seat WHERE room_id = $1 AND identity = $2`, roomID, identity))
}

// ByTicketHash reads the seat a ticket belongs to; nil when there is none.
func ByTicketHash(ctx context.Context, tx *db.Tx, ticketHash string) (*Seat, error) {
	return one(tx.QueryRow(ctx, `SELECT `+columns+` FROM seat WHERE ticket_hash = $1`, ticketHash))
}

// OfLink reads the living seat of a person who joined with a link; nil when there
// is none.
func OfLink(ctx context.Context, tx *db.Tx, linkID string) (*Seat, error) {
	return one(tx.QueryRow(ctx, `SELECT `+columns+` FROM seat WHERE link_id = $1 AND status IN ('new', 'in', 'lost')
		ORDER BY admitted_at DESC LIMIT 1`, linkID))
}

func one(row *db.Row) (*Seat, error) {
	s, err := scan(row)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // no seat is an answer, not an error
	}
	if err != nil {
		return nil, fmt.Errorf("read a seat: %w", err)
	}
	return &s, nil
}

// Expected reads the seats of a room that a Sync compares with the media server:
// of people who are in, may come back, or were let through and may still come.
func Expected(ctx context.Context, tx *db.Tx, roomID string, now time.Time) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM seat
		WHERE room_id = $1 AND status IN ('new', 'in', 'lost') AND (status <> 'new' OR admitted_at > $2)`, roomID, now.Add(-unusedFor).UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("read the seats: %w", err)
	}
	// Sorted here, because SQLite would read all seats that the room ever had, in
	// the order of the primary key, to avoid sorting.
	slices.SortFunc(seats, func(a, b Seat) int { return cmp.Compare(a.Identity, b.Identity) })
	return seats, nil
}

// OfPerson reads the seats of one person in a room: those of an identity, or
// of the person before its dot.
func OfPerson(ctx context.Context, tx *db.Tx, roomID, person string) ([]Seat, error) {
	if !canName(person) {
		return nil, nil
	}
	seats, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM seat
		WHERE room_id = $1 AND person = $2 ORDER BY joined_at, identity`, roomID, person)
	if err != nil {
		return nil, fmt.Errorf("read a person's seats: %w", err)
	}
	return seats, nil
}

// People reads the seats of people who are in the meeting or may come back to it,
// oldest first.
func People(ctx context.Context, tx *db.Tx, roomID string) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM seat
		WHERE room_id = $1 AND status IN ('in', 'lost') ORDER BY joined_at, identity`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read who is in or may come back: %w", err)
	}
	return seats, nil
}

// OfAccount reads the seats of an account in the rooms of a workspace on which it
// is in, may come back, was let through or waits.
func OfAccount(ctx context.Context, tx *db.Tx, workspaceID, accountID string) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM seat
		WHERE status IN ('new', 'in', 'lost', 'waiting', 'early') AND kind = 'user' AND workspace_id = $1 AND person = $2
		ORDER BY room_id, identity`, workspaceID, UserPerson(accountID))
	if err != nil {
		return nil, fmt.Errorf("read an account's seats: %w", err)
	}
	return seats, nil
}

// Present reads the seats of people who are in, oldest first.
func Present(ctx context.Context, tx *db.Tx, roomID string) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM seat WHERE room_id = $1 AND status = 'in' ORDER BY joined_at, identity`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read who is in: %w", err)
	}
	return seats, nil
}

// CountIn counts the people who are in. One person is left out.
func CountIn(ctx context.Context, tx *db.Tx, roomID, except string) (count int, err error) {
	err = tx.QueryRow(ctx, `SELECT COUNT(DISTINCT person) FROM seat WHERE room_id = $1 AND status = 'in' AND person <> $2`,
		roomID, except).Scan(&count)
	if err != nil {
		return 0, fmt.Errorf("count who is in: %w", err)
	}
	return count, nil
}

// FirstIn reads the names of the people who are in, in the order in which they
// came, and at most as many as asked for. One person is left out.
func FirstIn(ctx context.Context, tx *db.Tx, roomID, except string, most int) ([]string, error) {
	name := func(s db.Scanner) (name string, err error) {
		err = s.Scan(&name)
		return name, err //nolint:wrapcheck // FirstIn adds what was read
	}
	names, err := db.Query(ctx, tx, name, `SELECT MIN(name) FROM seat WHERE room_id = $1 AND status = 'in' AND person <> $2
		GROUP BY person ORDER BY MIN(joined_at), person LIMIT $3`, roomID, except, most)
	if err != nil {
		return nil, fmt.Errorf("read who came first: %w", err)
	}
	return names, nil
}

// LinkInUse is the condition that a living seat belongs to the join link whose id
// is named. Package join asks it about links that have expired.
func LinkInUse(linkID string) string {
	return `EXISTS (SELECT 1 FROM seat WHERE link_id = ` + linkID + ` AND status IN ('new', 'in', 'lost'))`
}

// PlacedIn reads the seats that belong in a breakout, of people who are in, may
// come back, or were let through, however long ago.
func PlacedIn(ctx context.Context, tx *db.Tx, roomID, breakoutID string) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM seat
		WHERE room_id = $1 AND status IN ('new', 'in', 'lost') AND breakout_id = $2 ORDER BY joined_at, identity`, roomID, breakoutID)
	if err != nil {
		return nil, fmt.Errorf("read who was placed in a breakout: %w", err)
	}
	return seats, nil
}

package live

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
)

// HostJoined says whether one of the room's own hosts has been in the meeting
// that runs.
func HostJoined(ctx context.Context, tx *db.Tx, roomID string) (bool, error) {
	m, err := runningMeeting(ctx, tx, roomID)
	return m != nil && m.HostJoined, err
}

// WaitingSeats reads the seats of those who wait in a room, for a host to
// answer or to arrive, oldest first.
func WaitingSeats(ctx context.Context, tx *db.Tx, roomID string) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scanSeat, `SELECT `+seatColumns+` FROM seat
		WHERE room_id = $1 AND status IN ('waiting', 'early') ORDER BY waiting_since, identity`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read who waits: %w", err)
	}
	return seats, nil
}

// WaitingAccounts reads the seats of accounts that wait in a room, oldest first.
func WaitingAccounts(ctx context.Context, tx *db.Tx, roomID string) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scanSeat, `SELECT `+seatColumns+` FROM seat
		WHERE room_id = $1 AND status IN ('waiting', 'early') AND kind = 'user' ORDER BY waiting_since, identity`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read which accounts wait: %w", err)
	}
	return seats, nil
}

// MoveGuests lets all guests who wait in one way wait in another, or in, and
// says how many they are.
func MoveGuests(ctx context.Context, tx *db.Tx, roomID string, from, to Status, now time.Time) (int64, error) {
	statement, args := `UPDATE seat SET status = $1 WHERE room_id = $2 AND status = $3 AND kind = 'guest'`, []any{string(to), roomID, string(from)}
	if to == New {
		statement = `UPDATE seat SET status = $1, admitted_at = $4, waiting_since = NULL, away_at = NULL
			WHERE room_id = $2 AND status = $3 AND kind = 'guest'`
		args = append(args, now.UnixMilli())
	}
	n, err := tx.Exec(ctx, statement, args...)
	if err != nil {
		return 0, fmt.Errorf("move the guests who wait: %w", err)
	}
	return n, nil
}

// whoKnocks reads those whom a host can answer, oldest first: what Knocking
// picks of those who wait, with the little of them that hosts are shown.
func whoKnocks(ctx context.Context, tx *db.Tx, roomID string) ([]knockingView, error) {
	list, err := db.Query(ctx, tx, func(s db.Scanner) (k knockingView, err error) {
		var (
			avatar string
			since  db.Null[int64]
		)
		err = s.Scan(&k.Identity, &k.Name, &avatar, &since)
		k.Avatar, k.Since = api.TextOrNull(avatar), api.At(db.Time(since))
		return k, err //nolint:wrapcheck // wrapped below
	}, `SELECT identity, name, avatar, waiting_since FROM seat
		WHERE room_id = $1 AND status = 'waiting' AND (away_at IS NULL OR away_at = waiting_since) ORDER BY waiting_since, identity`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read who knocks: %w", err)
	}
	if list == nil {
		list = []knockingView{} // an empty list to those who read it, and not nothing
	}
	return list, nil
}

// WaitingOf reads the seats on which one person knocks.
func WaitingOf(ctx context.Context, tx *db.Tx, roomID, person string) ([]Seat, error) {
	seats, err := seatsOf(ctx, tx, roomID, person)
	return slices.DeleteFunc(seats, func(s Seat) bool { return s.Status != Waiting }), err
}

// PersonAdmitted says whether a host let a person in during this meeting, on
// any of their devices.
func PersonAdmitted(ctx context.Context, tx *db.Tx, roomID, person string) (bool, error) {
	seats, err := seatsOf(ctx, tx, roomID, person)
	return slices.ContainsFunc(seats, Seat.admits), err
}

// PersonDenials says how often hosts turned a person away: of their seats, the
// most on one, because one answer goes to all on which they wait.
func PersonDenials(ctx context.Context, tx *db.Tx, roomID, person string) (int, error) {
	seats, err := seatsOf(ctx, tx, roomID, person)
	most := 0
	for _, seat := range seats {
		most = max(most, seat.Denials)
	}
	return most, err
}

// denialsOf is with how many denials somebody begins to wait: an account's count
// on whichever seat it asks again.
func denialsOf(ctx context.Context, tx *db.Tx, roomID string, e Entry) (int, error) {
	if e.Kind != KindUser {
		return 0, nil
	}
	return PersonDenials(ctx, tx, roomID, Person(e.Identity))
}

// AdmitGuests lets every guest in who knocks in a room and is there, in one
// statement, and says how many they are.
func AdmitGuests(ctx context.Context, tx *db.Tx, roomID string, now time.Time) (int64, error) {
	n, err := tx.Exec(ctx, `UPDATE seat SET status = 'new', admitted = TRUE, admitted_at = $1, waiting_since = NULL, away_at = NULL
		WHERE room_id = $2 AND status = 'waiting' AND kind = 'guest' AND (away_at IS NULL OR away_at = waiting_since)`, now.UnixMilli(), roomID)
	if err != nil {
		return 0, fmt.Errorf("let every guest in: %w", err)
	}
	return n, nil
}

// OverdueSeats reads the seats of those who have waited since before one
// moment, or whose devices are gone since before another.
func OverdueSeats(ctx context.Context, tx *db.Tx, waiting, away time.Time) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scanSeat, `SELECT `+seatColumns+` FROM seat
		WHERE status IN ('waiting', 'early') AND (waiting_since <= $1 OR away_at <= $2) ORDER BY waiting_since, identity`,
		waiting.UnixMilli(), away.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("read who has waited for too long: %w", err)
	}
	return seats, nil
}

// markAway notes for everybody who waits that no device follows. Those whose
// devices do follow, on another node, take it back with their next heartbeat.
func markAway(ctx context.Context, tx *db.Tx, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE seat SET away_at = $1 WHERE status IN ('waiting', 'early') AND away_at IS NULL`, now.UnixMilli())
	if err != nil {
		return fmt.Errorf("note that nobody who waits is followed: %w", err)
	}
	return nil
}

// setAway notes whether a device of somebody who waits follows.
func setAway(ctx context.Context, tx *db.Tx, roomID, identity string, at time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE seat SET away_at = $1 WHERE room_id = $2 AND identity = $3 AND status IN ('waiting', 'early')`, db.Millis(at), roomID, identity)
	if err != nil {
		return fmt.Errorf("note whether somebody who waits is there: %w", err)
	}
	return nil
}

// endWaiting closes the seats of those who wait: the meeting they wait for was
// ended.
func endWaiting(ctx context.Context, tx *db.Tx, roomID string) error {
	if _, err := tx.Exec(ctx, `UPDATE seat SET status = 'over', network = '' WHERE room_id = $1 AND status IN ('waiting', 'early')`, roomID); err != nil {
		return fmt.Errorf("close the seats of those who wait: %w", err)
	}
	return nil
}

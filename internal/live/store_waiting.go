package live

import (
	"context"
	"fmt"
	"slices"
	"time"

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
	_, err := tx.Exec(ctx, `UPDATE seat SET away_at = $1 WHERE room_id = $2 AND identity = $3 AND status IN ('waiting', 'early')`, millis(at), roomID, identity)
	if err != nil {
		return fmt.Errorf("note whether somebody who waits is there: %w", err)
	}
	return nil
}

// endWaiting closes the seats of those who wait: the meeting they wait for was
// ended.
func endWaiting(ctx context.Context, tx *db.Tx, roomID string) error {
	if _, err := tx.Exec(ctx, `UPDATE seat SET status = 'over' WHERE room_id = $1 AND status IN ('waiting', 'early')`, roomID); err != nil {
		return fmt.Errorf("close the seats of those who wait: %w", err)
	}
	return nil
}

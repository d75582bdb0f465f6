package join

import (
	"context"
	"slices"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// waitingOf reads the seats on which one person knocks.
func waitingOf(ctx context.Context, tx *db.Tx, roomID, person string) ([]seat.Seat, error) {
	seats, err := seat.OfPerson(ctx, tx, roomID, person)
	return slices.DeleteFunc(seats, func(s seat.Seat) bool { return s.Status != seat.Waiting }), err
}

// personDenials says how often hosts denied a person. It is the highest count on
// one of their seats, because one answer goes to all seats on which they wait.
func personDenials(ctx context.Context, tx *db.Tx, roomID, person string) (int, error) {
	seats, err := seat.OfPerson(ctx, tx, roomID, person)
	most := 0
	for _, held := range seats {
		most = max(most, held.Denials)
	}
	return most, err
}

// denialsOf is the number of denials with which a person begins to wait. An
// account's denials count on any seat on which it asks again.
func denialsOf(ctx context.Context, tx *db.Tx, roomID string, h seat.Holder) (int, error) {
	if h.Kind != seat.KindUser {
		return 0, nil
	}
	return personDenials(ctx, tx, roomID, seat.Person(h.Identity))
}

// removedFromMeeting says whether a person was removed from the running meeting of
// a room.
func removedFromMeeting(ctx context.Context, tx *db.Tx, roomID, person string) (bool, error) {
	meeting, err := seat.RunningMeeting(ctx, tx, roomID)
	if err != nil || meeting == nil {
		return false, err
	}
	seats, err := seat.OfPerson(ctx, tx, roomID, person)
	return slices.ContainsFunc(seats, func(s seat.Seat) bool {
		return s.Status == seat.Removed && !s.LeftAt.Before(meeting.StartedAt)
	}), err
}

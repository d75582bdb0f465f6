package join

import (
	"context"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// waitingOf reads the seats on which a host can answer one person.
func waitingOf(ctx context.Context, tx *db.Tx, roomID, person string, now time.Time) ([]seat.Seat, error) {
	seats, err := seat.OfPerson(ctx, tx, roomID, person)
	return slices.DeleteFunc(seats, func(s seat.Seat) bool { return !s.Answerable(now) }), err
}

// lostByAccount finds the seat of an account whose connection was lost last; nil when
// there is none, or when the account left on another device since. An account that a room
// would not let in anew, because it is locked for instance, comes back to this seat in a
// new tab. Where it may enter anyway, each device gets a seat of its own.
func lostByAccount(ctx context.Context, tx *db.Tx, roomID, accountID string) (*seat.Seat, error) {
	theirs, err := seat.OfPerson(ctx, tx, roomID, seat.UserPerson(accountID))
	var last *seat.Seat
	for i, held := range theirs {
		if gone := held.Status == seat.Lost || held.Status == seat.Left; gone && (last == nil || held.LeftAt.After(last.LeftAt)) {
			last = &theirs[i]
		}
	}
	if err != nil || last == nil || last.Status != seat.Lost {
		return nil, err
	}
	return last, nil
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

package seat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
)

// TicketHash is how a ticket is stored.
func TicketHash(ticket string) string {
	sum := sha256.Sum256([]byte(ticket))
	return hex.EncodeToString(sum[:])
}

// ByTicket finds the seat of a ticket and its room, if the person is in, was let
// through, or may come back.
func ByTicket(ctx context.Context, tx *db.Tx, ticket string) (Seat, room.Room, error) {
	seat, r, err := AnyByTicket(ctx, tx, ticket)
	if err == nil && !seat.Alive() && !seat.Waits() && seat.Status != LetThrough {
		err = ErrTicket()
	}
	return seat, r, err
}

// Inside finds the seat of a person who takes part in the meeting, and its room.
func Inside(ctx context.Context, tx *db.Tx, ticket string, now time.Time) (Seat, room.Room, error) {
	seat, r, err := ByTicket(ctx, tx, ticket)
	if err == nil && !seat.Takes(now) {
		err = ErrNotInMeeting()
	}
	return seat, r, err
}

// AnyByTicket finds the seat of a ticket and its room, even when the seat is over,
// so that the reason can be given.
func AnyByTicket(ctx context.Context, tx *db.Tx, ticket string) (Seat, room.Room, error) {
	if ticket == "" {
		return Seat{}, room.Room{}, ErrTicket()
	}
	seat, err := ByTicketHash(ctx, tx, TicketHash(ticket))
	if err != nil {
		return Seat{}, room.Room{}, err
	}
	if seat == nil {
		return Seat{}, room.Room{}, ErrTicket()
	}
	r, err := room.ByID(ctx, tx, seat.RoomID)
	return *seat, r, err
}

// ErrNotInMeeting refuses a person who does not take part in the meeting.
func ErrNotInMeeting() error {
	return fault.New(fault.Forbidden, api.CodeNotInMeeting, "You are not in the meeting now.")
}

// ErrTicket refuses a ticket that is not valid for any seat.
func ErrTicket() error {
	return fault.New(fault.Unauthenticated, api.CodeTicketInvalid, "This place in the meeting is not yours any more. Join again.")
}

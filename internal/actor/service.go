package actor

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Authorize finds out who acts, in the transaction of the action, and refuses an
// actor who lacks the power that the action needs. One refusal is left to the action:
// see Actor.Lacks. ByKey and ByHost make an Authorize.
type Authorize func(ctx context.Context, tx *db.Tx, needed Power) (Actor, error)

// ByKey authorizes the caller of the API: a key, or a signed-in member who
// manages the room.
func ByKey(p auth.Principal, roomID string) Authorize {
	return func(ctx context.Context, tx *db.Tx, needed Power) (Actor, error) {
		r, err := room.FindManaged(ctx, tx, p, roomID)
		if err != nil {
			return Actor{}, err
		}
		if p.Session {
			return Actor{Room: r, Member: p}, nil
		}
		if (needed == Appoints || needed == Admits) && !r.ManagedBy(p) {
			return Actor{Room: r, Lacks: room.NotManaged(p)}, nil
		}
		return Actor{Room: r}, nil
	}
}

// ByHost authorizes a host who is in the meeting, by their ticket.
func ByHost(ticket string, now func() time.Time) Authorize {
	return func(ctx context.Context, tx *db.Tx, needed Power) (Actor, error) {
		held, r, err := seat.ByTicket(ctx, tx, ticket)
		if err != nil {
			return Actor{}, err
		}
		if !held.OwnHost() && (!held.Cohost || needed != Directs && needed != Admits) {
			return Actor{}, fault.New(fault.Forbidden, api.CodeHostOnly, "Only a host of this room can do this.")
		}
		if !held.Takes(now()) {
			return Actor{}, seat.ErrNotInMeeting()
		}
		return Actor{Room: r, Seat: &held}, nil
	}
}

package join

import (
	"context"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Unlock unlocks a room for one of its own hosts who is not in the meeting,
// exactly as the API would, and then answers as LookUp does.
func (s *Service) Unlock(ctx context.Context, visit Visit, p Proofs) (LookUpAnswer, error) {
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		v, err := s.who(ctx, tx, visit, p)
		if err != nil {
			return err
		}
		if err := s.checkUnlock(ctx, tx, v); err != nil {
			return err
		}
		_, err = s.UpdateRoom(ctx, tx, v.Room, api.RoomUpdate{Locked: api.Set(false)})
		return err
	})
	if err != nil {
		return LookUpAnswer{}, err
	}
	return s.LookUp(ctx, visit, p)
}

// checkUnlock refuses visitors who may not unlock a room from outside: people who
// are not its own hosts, and people who were removed from the running meeting,
// because the lock keeps them out.
func (s *Service) checkUnlock(ctx context.Context, tx *db.Tx, v visitor) error {
	if v.arrivesAs() != api.RoleHost {
		return fault.New(fault.Forbidden, api.CodeHostOnly, "Only a host of this room can do this.")
	}
	removed, err := removedFromMeeting(ctx, tx, v.Room.ID, v.person())
	if err != nil {
		return err
	}
	if removed {
		return RemovedFrom.refusal()
	}
	return nil
}

// mayUnlock says whether the interface lets a visitor unlock the room.
func (s *Service) mayUnlock(ctx context.Context, tx *db.Tx, v visitor, reason Reason) (bool, error) {
	if reason != Locked {
		return false, nil
	}
	err := s.checkUnlock(ctx, tx, v)
	if _, refused := fault.As(err); refused {
		return false, nil
	}
	return err == nil, err
}

// arrivesAs is the role in which the visitor would come in.
func (v visitor) arrivesAs() api.Role {
	if v.Link != nil {
		return v.Link.Role
	}
	return v.role()
}

// person is the visitor's participant id, on any device; "" for a guest who has no
// seat yet.
func (v visitor) person() string {
	switch {
	case v.Link != nil:
		return guestPerson(v.Link.ID)
	case v.Kind == seat.KindUser:
		return seat.UserPerson(v.Account.ID)
	case v.Seat != nil:
		return seat.Person(v.Seat.Identity)
	default:
		return ""
	}
}

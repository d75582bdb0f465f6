package breakout

import (
	"context"
	"slices"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Assign places a person in a room of the session, or sends them to the main
// room: at once when they are connected, and for when they come back.
func (s *Service) Assign(ctx context.Context, authorize actor.Authorize, a api.BreakoutAssign) (api.BreakoutSession, error) {
	return s.withSession(ctx, authorize, func(tx *db.Tx, current scene) error {
		p, listens, err := current.person(a.Participant)
		if err != nil {
			return err
		}
		p.BreakoutID, p.CanReturn = a.BreakoutID.Or(""), a.CanReturn.Or(current.Session.AllowReturn)
		if _, there := current.Session.room(p.BreakoutID); p.BreakoutID != "" && !there {
			return errNoRoom()
		}
		if err := s.refuseOwnHosts(ctx, tx, current.Actor, p.Person); err != nil {
			return err
		}
		if !listens {
			return nil // their client would not notice, and they stay unassigned
		}
		p.Belongs = p.BreakoutID != "" && (current.Session.AutoJoin || current.isIn(p.Person, p.BreakoutID))
		return s.assign(ctx, tx, current.Session, p)
	})
}

// refuseOwnHosts refuses a co-host who wants to send one of the room's own hosts
// somewhere, also one who has left and could come back.
func (s *Service) refuseOwnHosts(ctx context.Context, tx *db.Tx, by actor.Actor, person string) error {
	if !by.Cohost() {
		return nil
	}
	seats, err := seat.OfPerson(ctx, tx, by.Room.ID, person)
	if err != nil {
		return err
	}
	return by.RefuseOwnHosts(seats)
}

// person finds a person by name. It looks among the people in the meeting, and then among
// those that the session has placed before. listens says whether they can be moved as soon
// as they are there.
func (current scene) person(name string) (p Placement, listens bool, err error) {
	if here, ok := find(current.People, name); ok {
		return Placement{Person: here.ID, Name: here.Name}, here.Listens, nil
	}
	for _, id := range []string{name, seat.Person(name)} {
		if p, known := current.Session.placement(id); known {
			return p, true, nil
		}
	}
	return Placement{}, false, fault.MissingParam("participant", "Nobody with this id is in the meeting, or was placed in this session.")
}

// isIn says whether a device of a person belongs in a room now.
func (current scene) isIn(person, breakoutID string) bool {
	here, ok := find(current.People, person)
	return ok && slices.Contains(here.Places, breakoutID)
}

func errNoRoom() error {
	return fault.MissingParam("breakout_id", "The session has no room with this id.")
}

// Join brings the holder of a ticket into a room of the session: their own, one
// that they choose, or any room for a host who visits.
func (s *Service) Join(ctx context.Context, ticket, breakoutID string) error {
	_, err := s.withSession(ctx, s.bySelf(ticket), func(tx *db.Tx, current scene) error {
		held := *current.Actor.Seat
		if _, there := current.Session.room(breakoutID); !there {
			return errNoRoom()
		}
		id := seat.Person(held.Identity)
		p, known := current.Session.placement(id)
		if !known {
			p = Placement{Person: id, Name: held.Name, CanReturn: current.Session.AllowReturn}
		}
		switch current.Session.mayJoin(id, held.RoleNow() == api.RoleHost, breakoutID) {
		case enters, chooses:
			p.BreakoutID, p.Belongs = breakoutID, true
			return s.assign(ctx, tx, current.Session, p)
		case visits:
			if known && p.Belongs {
				p.Belongs = false
				if err := savePlacement(ctx, tx, current.Session.ID, p); err != nil {
					return err
				}
			}
			return s.Live.Place(ctx, tx, held.RoomID, id, breakoutID)
		case refused:
		}
		return fault.New(fault.Forbidden, api.CodeBreakoutNotYours, "You were not placed in this room.")
	})
	return err
}

// Return brings the holder of a ticket back to the main room, if they may return.
// They keep their room and may go there again.
func (s *Service) Return(ctx context.Context, ticket string) error {
	_, err := s.withSession(ctx, s.bySelf(ticket), func(tx *db.Tx, current scene) error {
		held := *current.Actor.Seat
		if held.BreakoutID == "" {
			return nil
		}
		id := seat.Person(held.Identity)
		if !current.Session.mayReturn(id, held.RoleNow() == api.RoleHost) {
			return fault.New(fault.Forbidden, api.CodeReturnNotAllowed, "The person who opened the rooms wants you to stay until they close.")
		}
		p, known := current.Session.placement(id)
		if !known {
			return s.Live.Place(ctx, tx, held.RoomID, id, "")
		}
		p.Belongs = false
		return s.assign(ctx, tx, current.Session, p)
	})
	return err
}

// bySelf is a person in the meeting who acts for themselves.
func (s *Service) bySelf(ticket string) actor.Authorize {
	return func(ctx context.Context, tx *db.Tx, _ actor.Power) (actor.Actor, error) {
		held, r, err := seat.Inside(ctx, tx, ticket, s.Now())
		return actor.Actor{Room: r, Seat: &held}, err
	}
}

package stream

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// readFor bounds a reading that several streams wait for.
const readFor = 10 * time.Second

// readParts reads all parts for the holder of a ticket, who held a seat until now.
// Parts that are the same for the room's people are read once for all of them, and
// most people need nothing else.
func (s *Service) readParts(ctx context.Context, before seat.Seat, ticket string, shared *sharedView) (held *seat.Seat, parts []part, end string, err error) {
	in, held, err := s.fromCommon(ctx, before, ticket, shared)
	if err != nil || held == nil {
		in, held, err = s.fromDatabase(ctx, before, ticket, shared)
	}
	if err != nil {
		return held, nil, "", err
	}
	if end = in.endOf(*held); end != "" {
		return held, nil, end, nil
	}
	// Outside the transactions above: a board may read something of its own.
	if in.fed, err = partsShown(ctx, in.shows, *held); err != nil {
		return held, nil, "", err
	}
	parts, err = in.partsFor(*held)
	return held, parts, "", err
}

// inside is the shared parts that a person gets: all of them if they are in, and
// only the room otherwise.
type inside struct {
	view

	whole bool     // they get more than the room
	blank bool     // they get less: only that the room exists
	line  part     // who knocks, for hosts
	shows []ShowTo // the boards of the features above
	fed   []part   // their parts
}

// fromCommon returns a person's parts and seat from one reading that all waiting
// streams share. It returns no seat for hosts and for people who are not in, because
// they get other parts.
func (s *Service) fromCommon(ctx context.Context, before seat.Seat, ticket string, shared *sharedView) (in inside, held *seat.Seat, err error) {
	if before.Status != seat.In {
		return in, nil, nil
	}
	in, err = shared.common.now(func() (in inside, err error) {
		// The others still wait for it when this device is gone.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readFor)
		defer cancel()
		err = s.DB.Read(ctx, func(tx *db.Tx) error {
			in, _, err = s.readInside(ctx, tx, before.RoomID, shared)
			return err
		})
		return in, err
	})
	if err != nil {
		return in, nil, err
	}
	one, there := in.seats[seat.TicketHash(ticket)]
	if !there || one.RoleNow() == api.RoleHost {
		return in, nil, nil
	}
	return in, one, nil
}

// fromDatabase reads a person's seat, and what they get.
func (s *Service) fromDatabase(ctx context.Context, before seat.Seat, ticket string, shared *sharedView) (in inside, held *seat.Seat, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		held, err = seat.ByTicketHash(ctx, tx, seat.TicketHash(ticket))
		if err != nil {
			return err
		}
		if held == nil {
			held, err = withoutTicket(ctx, tx, before)
			return err
		}
		if !held.Takes(s.Now()) {
			in, err = s.readOutside(ctx, tx, *held, shared)
			return err
		}
		var now int64
		if in, now, err = s.readInside(ctx, tx, held.RoomID, shared); err != nil || held.RoleNow() != api.RoleHost {
			return err
		}
		in.line, err = shared.line.at(now, func(part) (part, error) {
			knocking, err := seat.Knockers(ctx, tx, held.RoomID, s.Now())
			if err != nil {
				return part{}, err
			}
			return newPart("waiting", knockingViews(knocking))
		})
		return err
	})
	return in, held, err
}

// withoutTicket handles a ticket that is no longer valid. If the seat was deleted
// (seat.Seat.Traceless), it returns the seat as it was given up. If the seat exists,
// another device has it, with a ticket of its own.
func withoutTicket(ctx context.Context, tx *db.Tx, before seat.Seat) (*seat.Seat, error) {
	other, err := seat.ByIdentity(ctx, tx, before.RoomID, before.Identity)
	if err != nil {
		return nil, err
	}
	if other != nil {
		return nil, seat.ErrTicket()
	}
	before.Status = seat.Left
	return &before, nil
}

// readInside reads the parts for people who are in, once for all of them, and returns
// the room's revision.
func (s *Service) readInside(ctx context.Context, tx *db.Tx, roomID string, shared *sharedView) (in inside, now int64, err error) {
	now, err = revision(ctx, tx, roomID)
	if err != nil {
		return in, now, err
	}
	in.view, err = shared.at(now, func(before view) (view, error) { return s.viewOf(ctx, tx, roomID, before) })
	if err != nil {
		return in, now, err
	}
	in.whole = true
	in.shows, err = s.shows(ctx, tx, roomID, shared, now, false)
	return in, now, err
}

// readOutside reads the parts for people who are not in: only the room, so that a long
// line needs little work for each person in it. Strangers do not even get the room.
// People who are arriving also get some parts of the features above.
func (s *Service) readOutside(ctx context.Context, tx *db.Tx, held seat.Seat, shared *sharedView) (in inside, err error) {
	if in.room, err = room.ByID(ctx, tx, held.RoomID); err != nil {
		return in, err
	}
	may, err := s.MayKnow(ctx, tx, in.room, held)
	if err != nil || !may {
		in.blank = true
		return in, err
	}
	if in.aboutRoom, err = newPart("room", ViewOf(in.room, s.PublicURL)); err != nil {
		return in, err
	}
	if held.Status != seat.LetThrough && held.Status != seat.Lost {
		return in, nil
	}
	now, err := revision(ctx, tx, held.RoomID)
	if err != nil {
		return in, err
	}
	in.shows, err = s.shows(ctx, tx, held.RoomID, shared, now, true)
	return in, err
}

// viewOf reads the parts that are the same for everybody in a room.
func (s *Service) viewOf(ctx context.Context, tx *db.Tx, roomID string, before view) (view, error) {
	r, err := room.ByID(ctx, tx, roomID)
	if err != nil {
		return view{}, err
	}
	meeting, err := seat.RunningMeeting(ctx, tx, roomID)
	if err != nil {
		return view{}, err
	}
	in, err := seat.Present(ctx, tx, roomID)
	if err != nil {
		return view{}, err
	}
	return newView(r, meeting, in, before.present, s.PublicURL)
}

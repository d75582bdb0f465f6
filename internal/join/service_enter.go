package join

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// enter gives a person a seat, or their seat back, after the door decided that they
// may enter. It runs when they ask to join, for their ticket, and again at every
// connection at the gate, because the room may have changed since. It also refuses
// identities that were removed. theirs are all seats of the person in the room.
func (s *Service) enter(ctx context.Context, tx *db.Tx, r room.Room, h seat.Holder, theirs []seat.Seat) (seat.Seat, error) {
	now := s.Now()
	old := among(theirs, h.Identity)
	held := seat.Seat{Holder: h, RoomID: r.ID, WorkspaceID: r.WorkspaceID, Status: seat.LetThrough, CreatedAt: now}
	settled := false // has a place, and can be sent to another one
	var err error
	switch {
	case old == nil:
		err = refuseUnused(ctx, tx, r.ID, h, now)
	case old.Status == seat.Removed:
		err = RemovedFrom.refusal()
	default:
		held, settled = comingBack(*old, held)
	}
	if err != nil {
		return seat.Seat{}, err
	}
	held = held.WhileGone(now)
	held.Role = h.Role // an account's role in its workspace may have changed
	held.LetThroughAt = now
	if !settled {
		if err := s.place(ctx, tx, &held, theirs); err != nil {
			return seat.Seat{}, err
		}
	}
	held = held.Inheriting(theirs, now)
	if err := seat.Save(ctx, tx, held); err != nil {
		return seat.Seat{}, err
	}
	if old != nil && held.Same(*old, now) {
		return held, nil
	}
	return held, s.Stream.Changed(ctx, tx, r.ID)
}

// comingBack is the seat of a person who has the old one. If that is still in use or waits
// in the line, they keep it. Otherwise they get the fresh one, which takes over what the
// meeting remembers of them. settled says that the seat has a place already, and that
// its device can be sent to another one.
func comingBack(old, fresh seat.Seat) (held seat.Seat, settled bool) {
	if !old.Alive() && old.Status != seat.LetThrough && !old.Waits() {
		fresh.Late, fresh.LateAt = old.Late, old.LateAt
		fresh.ArrivingFor, fresh.ArrivingAt = old.ArrivingFor, old.ArrivingAt
		if old.Status == seat.Left {
			fresh.Admitted = old.Admitted // it holds until the meeting ends
		}
		return fresh, false
	}
	held = old
	if fresh.TicketHash != "" {
		held.TicketHash, held.Strict = fresh.TicketHash, fresh.Strict
	}
	if old.Waits() {
		held.Status, held.WaitingSince, held.AwayAt = seat.LetThrough, time.Time{}, time.Time{}
		return held, false
	}
	return held, old.Listens()
}

// refuseUnused refuses one more seat when too many seats of the room, or of one
// network, were given and not used. It refuses only guests and accounts, who can
// come any number of times. The company itself decides how many tokens and links it
// hands out, and hosts must get in despite a flood of guests.
func refuseUnused(ctx context.Context, tx *db.Tx, roomID string, h seat.Holder, now time.Time) error {
	if h.Role == api.RoleHost || h.Kind != seat.KindGuest && h.Kind != seat.KindUser {
		return nil
	}
	all, theirs, err := seat.CountUnused(ctx, tx, roomID, h.Network, now)
	if err != nil {
		return err
	}
	return crowd{most: mostUnused, all: all, theirs: theirs}.refuse(h.Network, "about to join")
}

// wait gives a person a seat in the line: knocking, or waiting for a host to
// arrive. A person who waits already keeps their place in the line.
func (s *Service) wait(ctx context.Context, tx *db.Tx, r room.Room, h seat.Holder, as seat.Status) (seat.Seat, error) {
	now := s.Now()
	old, err := seat.ByIdentity(ctx, tx, r.ID, h.Identity)
	if err != nil {
		return seat.Seat{}, err
	}
	held := seat.Seat{Holder: h, RoomID: r.ID, WorkspaceID: r.WorkspaceID, Status: as, CreatedAt: now}
	held.WaitingSince, held.AwayAt = now, now // no device follows yet
	if held.Denials, err = denialsOf(ctx, tx, r.ID, h); err != nil {
		return seat.Seat{}, err
	}
	if old != nil {
		held.CreatedAt, held.Denials = old.CreatedAt, max(held.Denials, old.Denials)
		held.Cohost = old.Cohost // it lasts until the meeting ends
		if old.Waits() {
			held.WaitingSince, held.Network = old.WaitingSince, old.Network
		}
		if old.Waits() && old.AwayAt.IsZero() {
			held.AwayAt = time.Time{} // another window of theirs follows
		}
	}
	if old == nil || !old.Waits() {
		if err := refuseWaiting(ctx, tx, r.ID, h.Network); err != nil {
			return seat.Seat{}, err
		}
	}
	held.LetThroughAt = now
	if err := seat.Save(ctx, tx, held); err != nil {
		return seat.Seat{}, err
	}
	return held, s.Stream.Changed(ctx, tx, r.ID)
}

// refuseWaiting refuses one more person in the line when too many wait there,
// altogether or from one network.
func refuseWaiting(ctx context.Context, tx *db.Tx, roomID, network string) error {
	all, theirs, err := seat.CountWaiting(ctx, tx, roomID, network)
	if err != nil {
		return err
	}
	return crowd{most: mostWaiting, all: all, theirs: theirs}.refuse(network, "waiting to join")
}

// letIn lets in a person who waited in the line. They may connect now, where
// they were placed.
func (s *Service) letIn(ctx context.Context, tx *db.Tx, held seat.Seat) error {
	held.Status, held.LetThroughAt, held.WaitingSince, held.AwayAt = seat.LetThrough, s.Now(), time.Time{}, time.Time{}
	if held.Listens() {
		theirs, err := seat.OfPerson(ctx, tx, held.RoomID, seat.Person(held.Identity))
		if err != nil {
			return err
		}
		if err := s.place(ctx, tx, &held, theirs); err != nil {
			return err
		}
	}
	return seat.Save(ctx, tx, held)
}

// place decides where a person who comes in has to be: where their other devices
// are or will be back, or else where they were placed. theirs are all seats of the
// person.
func (s *Service) place(ctx context.Context, tx *db.Tx, held *seat.Seat, theirs []seat.Seat) error {
	if !held.Listens() {
		return nil
	}
	to, known := "", false
	for _, o := range theirs {
		if o.Identity != held.Identity && o.Alive() && o.Listens() {
			to, known = o.BreakoutID, true
		}
	}
	if !known {
		var err error
		if to, err = s.PlaceOf(ctx, tx, held.RoomID, seat.Person(held.Identity)); err != nil {
			return err
		}
	}
	if to != held.BreakoutID {
		*held = held.Placed(to, s.Now())
	}
	return nil
}

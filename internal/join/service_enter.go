package join

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// enter gives somebody a seat, or their seat back, and says what the media
// server is to be told when it connects them. The door has let them through
// before; that a removed identity never connects again is decided here too.
func (s *Service) enter(ctx context.Context, tx *db.Tx, r room.Room, h seat.Holder) (seat.Seat, error) {
	now := s.Now()
	old, err := seat.ByIdentity(ctx, tx, r.ID, h.Identity)
	if err != nil {
		return seat.Seat{}, err
	}
	var held seat.Seat
	settled := false // has a place, and can be told of another one
	switch {
	case old != nil && old.Status == seat.Removed:
		return seat.Seat{}, RemovedFrom.refusal()
	case old != nil && (old.Alive() || old.Status == seat.LetThrough || old.Waits()):
		held, settled = *old, !old.Waits() && old.Listens()
		if h.TicketHash != "" {
			held.TicketHash = h.TicketHash
		}
	default:
		if old == nil {
			if err := refuseUnused(ctx, tx, r.ID, h, now); err != nil {
				return seat.Seat{}, err
			}
		}
		held = seat.Seat{Holder: h, RoomID: r.ID, WorkspaceID: r.WorkspaceID, Status: seat.LetThrough, CreatedAt: now}
	}
	if held.Waits() {
		held.Status, held.WaitingSince, held.AwayAt = seat.LetThrough, time.Time{}, time.Time{}
	}
	if old != nil {
		held.Late, held.LateAt = old.Late, old.LateAt
	}
	if old != nil && old.Status == seat.Left {
		held.Admitted = old.Admitted // it holds until the meeting ends
	}
	held = held.WhileGone(now)
	held.Role = h.Role // an account may stand otherwise in its workspace by now
	held.LetThroughAt = now
	theirs, err := seat.OfPerson(ctx, tx, r.ID, seat.Person(held.Identity))
	if err != nil {
		return seat.Seat{}, err
	}
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

// refuseUnused refuses one more seat in a room where the most were given and
// not taken, or the most of one network. It refuses guests and accounts, who
// come as often as they like: tokens and links are as many as the company hands
// out, and a flood of guests does not keep hosts out of their room.
func refuseUnused(ctx context.Context, tx *db.Tx, roomID string, h seat.Holder, now time.Time) error {
	if h.Role == api.RoleHost || h.Kind != seat.KindGuest && h.Kind != seat.KindUser {
		return nil
	}
	unused, err := seat.CountUnused(ctx, tx, roomID, h.Network, now)
	if err != nil {
		return err
	}
	return unused.Refuse(h.Network, "about to join")
}

// wait gives somebody a seat before the door: knocking, or waiting for a host
// to arrive. Somebody who waits already keeps their place in the line.
func (s *Service) wait(ctx context.Context, tx *db.Tx, r room.Room, h seat.Holder, as seat.Status) (seat.Seat, error) {
	now := s.Now()
	old, err := seat.ByIdentity(ctx, tx, r.ID, h.Identity)
	if err != nil {
		return seat.Seat{}, err
	}
	held := seat.Seat{Holder: h, RoomID: r.ID, WorkspaceID: r.WorkspaceID, Status: as, CreatedAt: now}
	held.WaitingSince, held.AwayAt = now, now // nobody follows until a device does
	if held.Denials, err = denialsOf(ctx, tx, r.ID, h); err != nil {
		return seat.Seat{}, err
	}
	if old != nil {
		held.CreatedAt, held.Denials = old.CreatedAt, max(held.Denials, old.Denials)
		if old.Waits() {
			held.WaitingSince, held.Network = old.WaitingSince, old.Network
		}
		if old.Waits() && old.AwayAt.IsZero() {
			held.AwayAt = time.Time{} // another window of theirs does
		}
	}
	if old == nil || !old.Waits() {
		waiting, err := seat.CountWaiting(ctx, tx, r.ID, h.Network)
		if err == nil {
			err = waiting.Refuse(h.Network, "waiting to join")
		}
		if err != nil {
			return seat.Seat{}, err
		}
	}
	held.LetThroughAt = now
	if err := seat.Save(ctx, tx, held); err != nil {
		return seat.Seat{}, err
	}
	return held, s.Stream.Changed(ctx, tx, r.ID)
}

// letIn lets somebody in who waited before the door: they may connect now,
// where they were placed.
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

// place decides where somebody who comes in has to be: where the person's other
// devices are or will be back, or else where they were placed. theirs are all
// seats of the person.
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

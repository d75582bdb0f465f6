package live

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
)

// Entry is somebody whom the door let through.
type Entry struct {
	Identity     string
	Kind         Kind
	LinkID       string
	Name         string
	Role         api.Role
	Avatar       string
	TicketHash   string // "" when the client has no ticket
	OwnInterface bool
	Network      string // a keyed hash of the network they come from; "" where that does not count
}

// Enter gives somebody a seat, or their seat back, and says what the media
// server is to be told when it connects them. Whether they may is the caller's
// decision; that a removed identity never connects again is not.
func (s *Service) Enter(ctx context.Context, tx *db.Tx, r room.Room, e Entry) (Seat, error) {
	now := s.Now()
	old, err := SeatByIdentity(ctx, tx, r.ID, e.Identity)
	if err != nil {
		return Seat{}, err
	}
	var seat Seat
	settled := false // has a place, and can be told of another one
	switch {
	case old != nil && old.Status == Removed:
		return Seat{}, fault.New(fault.Forbidden, CodeRemoved, "You were removed from the meeting.")
	case old != nil && (old.Alive() || old.Status == New || old.Waits()):
		seat, settled = *old, !old.Waits() && old.Listens()
		if e.TicketHash != "" {
			seat.TicketHash = e.TicketHash
		}
	default:
		if old == nil {
			if err := refuseUnused(ctx, tx, r.ID, e, now); err != nil {
				return Seat{}, err
			}
		}
		seat = Seat{
			RoomID: r.ID, WorkspaceID: r.WorkspaceID, Identity: e.Identity, Kind: e.Kind, LinkID: e.LinkID, Name: e.Name, Role: e.Role,
			Avatar: e.Avatar, Status: New, TicketHash: e.TicketHash, OwnInterface: e.OwnInterface, Network: e.Network, CreatedAt: now,
		}
	}
	if seat.Waits() {
		seat.Status, seat.WaitingSince, seat.AwayAt = New, time.Time{}, time.Time{}
	}
	if old != nil {
		seat.Late, seat.LateAt = old.Late, old.LateAt
	}
	if old != nil && old.Status == Left {
		seat.Admitted = old.Admitted // it holds until the meeting ends
	}
	seat = seat.whileGone(now)
	seat.Role = e.Role // an account may stand otherwise in its workspace by now
	seat.AdmittedAt = now
	if !settled {
		if err := s.place(ctx, tx, &seat); err != nil {
			return Seat{}, err
		}
	}
	if err := s.inherit(ctx, tx, &seat); err != nil {
		return Seat{}, err
	}
	if err := SaveSeat(ctx, tx, seat); err != nil {
		return Seat{}, err
	}
	if old != nil && seat.same(*old, now) {
		return seat, nil
	}
	return seat, s.Changed(ctx, tx, r.ID)
}

// same says whether a seat differs from what it was only in when the gate last
// let it through. Nobody sees that, and a look at the media server allows for
// it: asking at the gate again and again must not make every look void.
func (s Seat) same(old Seat, now time.Time) bool {
	read := old.Status != New || now.Before(old.AdmittedAt.Add(unusedFor)) // otherwise the look did not know of it
	old.AdmittedAt = s.AdmittedAt
	return read && s == old
}

// whileGone is a seat whose holder comes in, without what lasts only while they
// are connected: the stage, and for the holder of a token also co-host. A
// reload is no leaving.
func (s Seat) whileGone(now time.Time) Seat {
	if s.Status == New || s.Status == Lost && !s.onStageStill(now) {
		s.OnStage = false
	}
	if s.Status == New && s.Kind == KindToken {
		s.Cohost = false
	}
	return s
}

// onStageStill says whether somebody whose connection is gone, or is not, keeps
// the stage until they are back.
func (s Seat) onStageStill(now time.Time) bool {
	return s.Status == In || s.Status == Lost && !now.After(s.LeftAt.Add(stageGrace))
}

// Wait gives somebody a seat before the door: knocking, or waiting for a host
// to arrive. Whoever waits already keeps their place in the line.
func (s *Service) Wait(ctx context.Context, tx *db.Tx, r room.Room, e Entry, as Status) (Seat, error) {
	now := s.Now()
	old, err := SeatByIdentity(ctx, tx, r.ID, e.Identity)
	if err != nil {
		return Seat{}, err
	}
	seat := Seat{
		RoomID: r.ID, WorkspaceID: r.WorkspaceID, Identity: e.Identity, Kind: e.Kind, Name: e.Name, Role: e.Role, Avatar: e.Avatar,
		OwnInterface: e.OwnInterface, Network: e.Network, CreatedAt: now, WaitingSince: now,
	}
	seat.AwayAt = now // until a device follows
	if seat.Denials, err = denialsOf(ctx, tx, r.ID, e); err != nil {
		return Seat{}, err
	}
	if old != nil {
		seat.CreatedAt, seat.Denials = old.CreatedAt, max(seat.Denials, old.Denials)
		if old.Waits() {
			seat.WaitingSince, seat.Network = old.WaitingSince, old.Network
		}
		if old.Waits() && old.AwayAt.IsZero() {
			seat.AwayAt = time.Time{} // another window of theirs does
		}
	}
	if old == nil || !old.Waits() {
		if err := refuseCrowd(ctx, tx, r.ID, e.Network); err != nil {
			return Seat{}, err
		}
	}
	seat.Status, seat.TicketHash, seat.AdmittedAt = as, e.TicketHash, now
	if err := SaveSeat(ctx, tx, seat); err != nil {
		return Seat{}, err
	}
	return seat, s.Changed(ctx, tx, r.ID)
}

// LetIn lets somebody in who waited before the door: they may connect now,
// where they were placed. That they may is the caller's decision.
func (s *Service) LetIn(ctx context.Context, tx *db.Tx, seat Seat) error {
	seat.Status, seat.AdmittedAt, seat.WaitingSince, seat.AwayAt = New, s.Now(), time.Time{}, time.Time{}
	if err := s.place(ctx, tx, &seat); err != nil {
		return err
	}
	return SaveSeat(ctx, tx, seat)
}

// inherit gives a new connection what the person was given on another one:
// admission, co-host and stage follow the person. What the holder of a media token was
// given lasts while they are connected; others keep it until the meeting ends,
// which closes their seats.
func (s *Service) inherit(ctx context.Context, tx *db.Tx, seat *Seat) error {
	others, err := seatsOf(ctx, tx, seat.RoomID, Person(seat.Identity))
	if err != nil {
		return err
	}
	for _, o := range others {
		seat.Admitted = seat.Admitted || o.admits()
		seat.OnStage = seat.OnStage || o.OnStage && o.onStageStill(s.Now())
		switch o.Status {
		case In:
			seat.Cohost = seat.Cohost || o.Cohost
		case Lost, Left:
			seat.Cohost = seat.Cohost || (o.Cohost && o.Kind != KindToken)
		case New, Removed, Over, Waiting, Early, Denied, Expired:
		}
	}
	return nil
}

package live

import (
	"context"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
)

// Participants lists who is in the meeting now, as the media server knows it
// at this moment.
func (s *Service) Participants(ctx context.Context, p auth.Principal, roomID string) ([]api.Participant, error) {
	running := false
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		r, err := room.FindManaged(ctx, tx, p, roomID)
		if err != nil {
			return err
		}
		running, err = busy(ctx, tx, r.ID, s.Now().Add(-newSeatsFor))
		return err
	})
	if err != nil || !running {
		return nil, err
	}
	st, lk, _, err := s.Sync(ctx, roomID)
	if err != nil {
		return nil, err
	}
	people := []api.Participant{}
	for _, seat := range presentIn(st) {
		shown, _, _ := lk.find(seat)
		people = append(people, participantOf(seat, shown))
	}
	return people, nil
}

// presentIn gives the seats that are in, by arrival.
func presentIn(st state) []Seat {
	var in []Seat
	for _, seat := range st.Seats {
		if seat.Status == In {
			in = append(in, seat)
		}
	}
	slices.SortFunc(in, byArrival)
	return in
}

func participantOf(seat Seat, v seen) api.Participant {
	return api.Participant{
		Object: "participant", Identity: seat.Identity, Name: seat.Name, Role: seat.RoleNow(), JoinedAt: api.At(seat.JoinedAt),
		AudioMuted: len(v.Open) == 0, VideoMuted: !v.VideoOn, ScreenSharing: v.ScreenOn, HandRaised: !seat.HandRaisedAt.IsZero(),
	}
}

// Leave gives a seat up for good.
func (s *Service) Leave(ctx context.Context, ticket string) (Seat, error) {
	var left Seat
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		seat, r, err := s.ByTicket(ctx, tx, ticket)
		if err != nil {
			return err
		}
		left = seat
		if err := s.giveUp(ctx, tx, state{Room: r}, seat, departure{Seat: seat, Reason: ReasonLeft, Status: Left}); err != nil {
			return err
		}
		if err := s.powersGone(ctx, tx, seat); err != nil {
			return err
		}
		// Whoever is empty-handed now is noticed, and disconnected, by the Sync
		// this causes.
		tx.AfterCommit(func() { s.Ask(r.ID) })
		return s.Changed(ctx, tx, r.ID)
	})
	return left, err
}

// giveUp ends a living seat: with its event when the person was in, without
// one when they were not seen, or were told of as gone already.
func (s *Service) giveUp(ctx context.Context, tx *db.Tx, st state, seat Seat, d departure) error {
	switch seat.Status {
	case In:
		return s.depart(ctx, tx, st, d, s.Now())
	case New, Lost, Waiting, Early:
		seat.Status, seat.LeftAt = d.Status, s.Now()
		return SaveSeat(ctx, tx, seat)
	case Left:
		if d.Status == Removed {
			seat.Status, seat.LeftAt = Removed, s.Now()
			return SaveSeat(ctx, tx, seat)
		}
	case Removed, Over, Denied, Expired:
	}
	return nil
}

// RaiseHand raises or lowers the hand of whoever holds a ticket.
func (s *Service) RaiseHand(ctx context.Context, ticket string, raised bool) (Seat, error) {
	var changed Seat
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		seat, r, err := s.ByTicket(ctx, tx, ticket)
		if err != nil {
			return err
		}
		if seat.Waits() {
			return errTicket() // there is nobody to see it
		}
		changed = seat
		if raised == !seat.HandRaisedAt.IsZero() {
			return nil
		}
		changed.HandRaisedAt = time.Time{}
		if raised {
			changed.HandRaisedAt = s.Now()
		}
		if err := SaveSeat(ctx, tx, changed); err != nil {
			return err
		}
		return s.Changed(ctx, tx, r.ID)
	})
	if err == nil && changed.Status == In {
		// Clients that do not speak our protocol see the hand as an attribute.
		value := ""
		if raised {
			value = "true"
		}
		s.try("show a raised hand", state{Room: room.Room{ID: changed.RoomID}},
			s.Media.SetAttributes(ctx, changed.MediaRoom(), changed.Identity, map[string]string{handRaised: value}))
	}
	return changed, err
}

// RoomChanged is the reaction to a change of a room's settings or lock: rights
// are worked out anew for everybody in.
func (s *Service) RoomChanged(ctx context.Context, tx *db.Tx, r room.Room) error {
	tx.AfterCommit(func() { s.Ask(r.ID) })
	return s.DoorChanged(ctx, tx, r.ID)
}

// RoomDeleted is the reaction to a room's deletion: the meeting ends before
// room.deleted is told, everybody in it leaves, and every seat is over.
func (s *Service) RoomDeleted(ctx context.Context, tx *db.Tx, r room.Room) error {
	return s.endNow(ctx, tx, r, ReasonDeleted)
}

// endNow ends the meeting of a room at once, if one runs.
func (s *Service) endNow(ctx context.Context, tx *db.Tx, r room.Room, reason string) error {
	if err := s.OnEnd(ctx, tx, r); err != nil {
		return err
	}
	st, err := readState(ctx, tx, r.ID, s.Now())
	if err != nil {
		return err
	}
	if st.Meeting != nil {
		now := s.Now()
		for _, seat := range presentIn(st) {
			if err := s.depart(ctx, tx, st, departure{Seat: seat, Reason: ReasonEnded, Status: Over}, now); err != nil {
				return err
			}
		}
		if err := s.finish(ctx, tx, st, *st.Meeting, reason, now); err != nil {
			return err
		}
	}
	if err := endWaiting(ctx, tx, r.ID); err != nil {
		return err
	}
	tx.AfterCommit(func() { s.Ask(r.ID) })
	return s.DoorChanged(ctx, tx, r.ID)
}

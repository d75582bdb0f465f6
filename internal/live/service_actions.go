package live

import (
	"context"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Participants lists the people who are in the meeting, as the media server
// knows it at this moment.
func (s *Service) Participants(ctx context.Context, p auth.Principal, roomID string) ([]api.Participant, error) {
	running := false
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		r, err := room.FindManaged(ctx, tx, p, roomID)
		if err != nil {
			return err
		}
		running, err = seat.Busy(ctx, tx, r.ID, s.Now().Add(-newSeatsFor))
		return err
	})
	if err != nil || !running {
		return nil, err
	}
	st, snap, _, err := s.Sync(ctx, roomID)
	if err != nil {
		return nil, err
	}
	people := []api.Participant{}
	for _, held := range presentIn(st) {
		shown, _, _ := snap.find(held)
		people = append(people, participantOf(held, shown))
	}
	return people, nil
}

// presentIn returns the seats that are in, by arrival.
func presentIn(st state) []seat.Seat {
	var in []seat.Seat
	for _, held := range st.Seats {
		if held.Status == seat.In {
			in = append(in, held)
		}
	}
	slices.SortFunc(in, seat.ByArrival)
	return in
}

func participantOf(held seat.Seat, v seen) api.Participant {
	return api.Participant{
		Object: "participant", Identity: held.Identity, Name: held.Name, Role: held.RoleNow(), JoinedAt: api.At(held.JoinedAt),
		AudioMuted: len(v.Open) == 0, VideoMuted: len(v.Camera) == 0, ScreenSharing: v.ScreenOn, HandRaised: !held.HandRaisedAt.IsZero(),
	}
}

// Leave gives a seat up for good, and deletes it unless something has to be
// remembered of it.
func (s *Service) Leave(ctx context.Context, ticket string) (seat.Seat, error) {
	var left seat.Seat
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		held, r, err := seat.ByTicket(ctx, tx, ticket)
		if err != nil {
			return err
		}
		left = held
		if err := s.giveUp(ctx, tx, state{Room: r}, held, departure{Seat: held, Reason: reasonLeft, Status: seat.Left}); err != nil {
			return err
		}
		if err := s.onHostLost(ctx, tx, held); err != nil {
			return err
		}
		// The Sync that this causes disconnects the devices that have no seat any
		// more.
		tx.AfterCommit(func() { s.RequestSync(r.ID) })
		if err := s.Stream.Changed(ctx, tx, r.ID); err != nil || !held.Traceless() {
			return err
		}
		return seat.Delete(ctx, tx, seat.Key{RoomID: r.ID, Identity: held.Identity})
	})
	return left, err
}

// giveUp ends a seat, with an event when the person was in. There is no
// event when they were not seen in the meeting, or counted as gone already.
func (s *Service) giveUp(ctx context.Context, tx *db.Tx, st state, held seat.Seat, d departure) error {
	switch held.Status {
	case seat.In:
		return s.depart(ctx, tx, st, d, s.Now())
	case seat.LetThrough, seat.Lost, seat.Waiting, seat.Early:
		held.Status, held.LeftAt = d.Status, s.Now()
		return seat.Save(ctx, tx, held)
	case seat.Left, seat.Denied, seat.Expired:
		if d.Status == seat.Removed {
			held.Status, held.LeftAt = seat.Removed, s.Now()
			return seat.Save(ctx, tx, held)
		}
	case seat.Removed, seat.Over:
	}
	return nil
}

// RaiseHand raises or lowers the hand of the holder of a ticket.
func (s *Service) RaiseHand(ctx context.Context, ticket string, raised bool) (seat.Seat, error) {
	var changed seat.Seat
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		held, r, err := seat.ByTicket(ctx, tx, ticket)
		if err != nil {
			return err
		}
		if held.Waits() {
			return seat.ErrTicket() // they are not in the meeting
		}
		changed = held
		if raised == !held.HandRaisedAt.IsZero() {
			return nil
		}
		changed.HandRaisedAt = time.Time{}
		if raised {
			changed.HandRaisedAt = s.Now()
		}
		if err := seat.Save(ctx, tx, changed); err != nil {
			return err
		}
		return s.Stream.Changed(ctx, tx, r.ID)
	})
	if err == nil && changed.Status == seat.In {
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

// RoomChanged is the reaction to a change of a room's settings or lock: the
// rights of everybody in the meeting are worked out again.
func (s *Service) RoomChanged(ctx context.Context, tx *db.Tx, r room.Room) error {
	tx.AfterCommit(func() { s.RequestSync(r.ID) })
	return s.Stream.DoorChanged(ctx, tx, r.ID)
}

// RoomDeleted is the reaction to a room's deletion. The meeting ends before the
// event room.deleted, everybody in it leaves, and every seat is over. The passphrase is
// deleted.
func (s *Service) RoomDeleted(ctx context.Context, tx *db.Tx, r room.Room) error {
	if err := s.endNow(ctx, tx, r, reasonDeleted); err != nil {
		return err
	}
	return mediaroom.DeletePassphrase(ctx, tx, r.ID)
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
		now, present := s.Now(), presentIn(st)
		for _, held := range present { // all leave at the time at which the meeting ends
			now = afterJoining(held, now)
		}
		for _, held := range present {
			if err := s.depart(ctx, tx, st, departure{Seat: held, Reason: reasonEnded, Status: seat.Over}, now); err != nil {
				return err
			}
		}
		if err := s.finish(ctx, tx, st, *st.Meeting, reason, now); err != nil {
			return err
		}
	}
	if err := seat.EndWaiting(ctx, tx, r.ID); err != nil {
		return err
	}
	tx.AfterCommit(func() { s.RequestSync(r.ID) })
	return s.Stream.DoorChanged(ctx, tx, r.ID)
}

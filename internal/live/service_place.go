package live

import (
	"context"
	"slices"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// The functions with which package breakout sends people to other media rooms. It
// decides which breakouts there are and who belongs where. This package makes the
// seats, the gate and the media server agree with that.

// CloseBreakout forgets the key of a breakout and sends everybody who is there
// back to the main room. Its media room closes after they had time to go.
func (s *Service) CloseBreakout(ctx context.Context, tx *db.Tx, roomID, breakoutID string) error {
	seats, err := seat.PlacedIn(ctx, tx, roomID, breakoutID)
	if err != nil {
		return err
	}
	now := s.Now()
	for _, held := range seats {
		if err := seat.Save(ctx, tx, held.Placed("", now)); err != nil {
			return err
		}
	}
	tx.AfterCommit(func() { s.RequestSync(roomID) })
	return mediaroom.Close(ctx, tx, breakoutID, now)
}

// Place sends every device of a person to a breakout, or with "" to the main
// room. Devices that do not follow the stream would not notice, and stay.
func (s *Service) Place(ctx context.Context, tx *db.Tx, roomID, person, breakoutID string) error {
	seats, err := seat.OfPerson(ctx, tx, roomID, person)
	if err != nil {
		return err
	}
	now := s.Now()
	for _, held := range seats {
		if held.BreakoutID == breakoutID || !held.Alive() && held.Status != seat.LetThrough || breakoutID != "" && !held.Listens() {
			continue
		}
		if err := seat.Save(ctx, tx, held.Placed(breakoutID, now)); err != nil {
			return err
		}
	}
	tx.AfterCommit(func() { s.RequestSync(roomID) })
	return nil
}

// onHostLost is the reaction when a seat stops giving a host's powers. If it was
// the last such seat of the person, their devices go back to where the person was
// placed, because only hosts visit other rooms.
func (s *Service) onHostLost(ctx context.Context, tx *db.Tx, before seat.Seat) error {
	if !before.Directs() {
		return nil
	}
	person := seat.Person(before.Identity)
	seats, err := seat.OfPerson(ctx, tx, before.RoomID, person)
	if err != nil || slices.ContainsFunc(seats, seat.Seat.Directs) {
		return err
	}
	to, err := s.PlaceOf(ctx, tx, before.RoomID, person)
	if err != nil {
		return err
	}
	return s.Place(ctx, tx, before.RoomID, person, to)
}

package live

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// LowerHand lowers the hand of a person. A hand that is down stays down.
func (s *Service) LowerHand(ctx context.Context, authorize actor.Authorize, identity string) error {
	return s.lowerHands(ctx, authorize, func(tx *db.Tx, roomID string) ([]seat.Seat, error) {
		return present(ctx, tx, roomID, identity)
	})
}

// LowerHands lowers every hand in the meeting, also the hands of people who lost their
// connection.
func (s *Service) LowerHands(ctx context.Context, authorize actor.Authorize) error {
	return s.lowerHands(ctx, authorize, func(tx *db.Tx, roomID string) ([]seat.Seat, error) {
		return seat.People(ctx, tx, roomID)
	})
}

// showLowered tells the media server that the hands of people who came on the stage are
// down: clients that follow no stream read it there, and one without a ticket has raised
// its hand there, perhaps a moment ago. The Sync that follows notes that one.
func (s *Service) showLowered(ctx context.Context, r room.Room, lowered []seat.Seat) {
	ctx = context.WithoutCancel(ctx)
	for _, held := range lowered {
		if held.Listens() && held.HandRaisedAt.IsZero() {
			continue
		}
		err := s.Media.SetAttributes(ctx, held.MediaRoom(), held.Identity, map[string]string{handRaised: ""})
		if err != nil && !errors.Is(err, media.ErrNotFound) {
			s.Logger.WarnContext(ctx, "a person on the stage may still show a raised hand", "room_id", r.ID, "identity", held.Identity, "error", err)
		}
	}
	if len(lowered) > 0 {
		s.RequestSync(r.ID)
	}
}

func (s *Service) lowerHands(ctx context.Context, authorize actor.Authorize, find func(tx *db.Tx, roomID string) ([]seat.Seat, error)) error {
	var (
		by actor.Actor
		up []seat.Seat
	)
	isDown := func(held seat.Seat) bool { return held.HandRaisedAt.IsZero() }
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		if by, err = authorize(ctx, tx, actor.Directs); err != nil {
			return err
		}
		up, err = find(tx, by.Room.ID)
		up = slices.DeleteFunc(up, isDown)
		return err
	})
	if err != nil || len(up) == 0 {
		return err
	}
	// First on the media server. A client without a ticket raises its hand there, and
	// the next Sync would raise it again.
	for _, held := range up {
		err := s.Media.SetAttributes(ctx, held.MediaRoom(), held.Identity, map[string]string{handRaised: ""})
		if err != nil && !errors.Is(err, media.ErrNotFound) && !held.Listens() {
			return mediaDown(err)
		}
		s.try("show a lowered hand", state{Room: by.Room}, err)
	}
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		for _, held := range up {
			current, err := seat.ByIdentity(ctx, tx, by.Room.ID, held.Identity)
			if err != nil {
				return err
			}
			// Keep a hand that was lowered and raised again since then.
			if current == nil || !current.HandRaisedAt.Equal(held.HandRaisedAt) {
				continue
			}
			current.HandRaisedAt = time.Time{}
			if err := seat.Save(ctx, tx, *current); err != nil {
				return err
			}
		}
		return s.Stream.Changed(ctx, tx, by.Room.ID)
	})
}

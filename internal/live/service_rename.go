package live

import (
	"context"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Rename changes the name of the holder of a ticket, on all their devices, if they
// chose it themselves. Nothing else about them changes, and no event follows.
func (s *Service) Rename(ctx context.Context, ticket, name string) (seat.Seat, error) {
	var renamed seat.Seat
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		held, r, err := seat.Inside(ctx, tx, ticket, s.Now())
		if err != nil {
			return err
		}
		renamed = held
		if held.Name == name {
			return nil
		}
		if err := held.RefuseRename(r, s.Now()); err != nil {
			return err
		}
		renamed = held.Renamed(name, s.Now())
		if err := s.renameAll(ctx, tx, renamed); err != nil {
			return err
		}
		// The Sync that this causes changes the name on the media server.
		tx.AfterCommit(func() { s.RequestSync(r.ID) })
		return s.Stream.Changed(ctx, tx, r.ID)
	})
	return renamed, err
}

// renameAll gives a person's new name to all their seats in the room that are not
// over.
func (s *Service) renameAll(ctx context.Context, tx *db.Tx, renamed seat.Seat) error {
	theirs, err := seat.OfPerson(ctx, tx, renamed.RoomID, seat.Person(renamed.Identity))
	if err != nil {
		return err
	}
	for _, held := range theirs {
		if !held.Alive() && !held.Waits() && held.Status != seat.LetThrough {
			continue
		}
		held = held.Renamed(renamed.Name, renamed.RenamedAt)
		if err := seat.Save(ctx, tx, held); err != nil {
			return err
		}
		if err := s.OnRename(ctx, tx, held); err != nil {
			return err
		}
	}
	return nil
}

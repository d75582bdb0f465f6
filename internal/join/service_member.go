package join

import (
	"context"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// StandingChanged is the reaction to a change of an account's place in a
// workspace, in its transaction: what the account may do as a host of running
// meetings begins or ends at once, and goes in where nothing stops it any more.
// People who are in stay in.
func (s *Service) StandingChanged(ctx context.Context, tx *db.Tx, workspaceID, accountID string) error {
	seats, err := seat.OfAccount(ctx, tx, workspaceID, accountID)
	if err != nil {
		return err
	}
	rooms := map[string]room.Room{}
	for _, held := range seats {
		r, err := room.ByID(ctx, tx, held.RoomID)
		if err != nil {
			return err
		}
		rooms[r.ID] = r
		v := visitor{Room: r, Kind: held.Kind}
		if v.Standing, err = s.standing(ctx, tx, r, accountID); err != nil {
			return err
		}
		if role := v.role(); role != held.Role {
			if err := s.Live.SetRole(ctx, tx, r, held, role); err != nil {
				return err
			}
		}
	}
	for _, r := range rooms {
		if err := s.Reconsider(ctx, tx, r); err != nil {
			return err
		}
	}
	return nil
}

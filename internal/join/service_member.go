package join

import (
	"context"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// StandingChanged is the reaction to a change of an account's role in a workspace,
// in the same transaction. In running meetings the account becomes a host or stops
// being one at once. Where it waits and nothing stops it any more, it goes in.
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
		if v.Relation, err = s.relation(ctx, tx, r, accountID); err != nil {
			return err
		}
		if role := v.role(); role != held.Role {
			if err := s.SetRole(ctx, tx, r, held, role); err != nil {
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

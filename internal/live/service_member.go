package live

import (
	"context"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// SetRole makes the holder of a seat one of the room's own hosts, or a
// participant again. The next Sync, which is due anyway, tells the media server.
func (s *Service) SetRole(ctx context.Context, tx *db.Tx, r room.Room, held seat.Seat, role api.Role) error {
	before := held
	held.Role = role
	if err := seat.Save(ctx, tx, held); err != nil {
		return err
	}
	if held.Status == seat.In {
		meeting, err := seat.RunningMeeting(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		if err := s.hostArrives(ctx, tx, state{Room: r}, meeting, []seat.Seat{held}); err != nil {
			return err
		}
	}
	if err := s.onHostLost(ctx, tx, before); err != nil {
		return err
	}
	return s.Stream.DoorChanged(ctx, tx, r.ID)
}

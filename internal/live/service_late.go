package live

import (
	"context"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// noteLate notes that a device is disconnected because it is late.
func (s *Service) noteLate(ctx context.Context, of seat.Seat) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		held, err := seat.ByIdentity(ctx, tx, of.RoomID, of.Identity)
		if err != nil || held == nil {
			return err
		}
		late := held.DisconnectedLate(s.Now())
		if late == *held {
			return nil
		}
		return seat.Save(ctx, tx, late)
	})
}

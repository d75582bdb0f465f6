package live

import (
	"context"

	"github.com/conclave-rooms/conclave/internal/db"
)

// noteLate notes that somebody's device is put out for being late.
func (s *Service) noteLate(ctx context.Context, of Seat) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		seat, err := SeatByIdentity(ctx, tx, of.RoomID, of.Identity)
		if err != nil || seat == nil {
			return err
		}
		late := seat.putOutLate(s.Now())
		if late == *seat {
			return nil
		}
		return SaveSeat(ctx, tx, late)
	})
}

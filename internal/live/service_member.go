package live

import (
	"context"
	"fmt"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
)

// AccountSeats reads the seats of an account in the rooms of a workspace, of
// those who are in, may come back, were let through or wait.
func AccountSeats(ctx context.Context, tx *db.Tx, workspaceID, accountID string) ([]Seat, error) {
	seats, err := db.Query(ctx, tx, scanSeat, `SELECT `+seatColumns+` FROM seat
		WHERE status IN ('new', 'in', 'lost', 'waiting', 'early') AND kind = 'user' AND workspace_id = $1 AND person = $2
		ORDER BY room_id, identity`, workspaceID, UserPerson(accountID))
	if err != nil {
		return nil, fmt.Errorf("read an account's seats: %w", err)
	}
	return seats, nil
}

// SetRole makes the holder of a seat one of the room's own hosts, or not any
// more. The media server is told by the next Sync, which is due anyway.
func (s *Service) SetRole(ctx context.Context, tx *db.Tx, r room.Room, seat Seat, role api.Role) error {
	before := seat
	seat.Role = role
	if err := SaveSeat(ctx, tx, seat); err != nil {
		return err
	}
	if seat.Status == In {
		meeting, err := runningMeeting(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		if err := s.hostArrives(ctx, tx, state{Room: r}, meeting, []Seat{seat}); err != nil {
			return err
		}
	}
	if err := s.powersGone(ctx, tx, before); err != nil {
		return err
	}
	return s.DoorChanged(ctx, tx, r.ID)
}

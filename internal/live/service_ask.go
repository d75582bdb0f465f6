package live

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// askAgain is how long after hosts asked a person to unmute they can ask again. A
// person needs a moment to answer, and must not be flooded.
const askAgain = 15 * time.Second

// AskToUnmute asks a person to turn their microphone on. Nobody is unmuted by the
// service. Asking again within askAgain changes nothing, whichever host asks, unless the
// clock was set back since.
func (s *Service) AskToUnmute(ctx context.Context, authorize actor.Authorize, identity string) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		by, err := authorize(ctx, tx, actor.Directs)
		if err != nil {
			return err
		}
		asked, err := present(ctx, tx, by.Room.ID, identity)
		if err != nil {
			return err
		}
		now, changed := s.Now(), false
		for _, held := range asked {
			if err := askable(by.Room, held); err != nil {
				return err
			}
			if now.Sub(held.AskedToUnmuteAt).Abs() < askAgain {
				continue
			}
			held.AskedToUnmuteAt, changed = now, true
			if err := seat.Save(ctx, tx, held); err != nil {
				return err
			}
		}
		if !changed {
			return nil
		}
		return s.Stream.Changed(ctx, tx, by.Room.ID)
	})
}

// askable refuses people who could not do what they are asked, or would not learn
// of it.
func askable(r room.Room, held seat.Seat) error {
	switch {
	case !held.May(r).Microphone:
		return fault.Conflicting(api.CodeCannotBeAsked, "This person is in the audience and may not speak. Invite them to the stage first.")
	case !held.Listens():
		return fault.Conflicting(api.CodeCannotBeAsked, "The program with which this person takes part does not show what hosts ask. Ask them aloud.")
	default:
		return nil
	}
}

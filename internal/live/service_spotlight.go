package live

import (
	"context"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// mostSpotlights is how many connections of a meeting may be in the spotlight. More
// would be as small as all the others.
const mostSpotlights = 3

// SetSpotlight shows a person large to everybody in their room, or ends that. It
// lasts until the meeting ends, or the person leaves.
func (s *Service) SetSpotlight(ctx context.Context, authorize actor.Authorize, identity string, lit bool) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		by, err := authorize(ctx, tx, actor.Directs)
		if err != nil {
			return err
		}
		targets, err := present(ctx, tx, by.Room.ID, identity)
		if err != nil {
			return err
		}
		targets = slices.DeleteFunc(targets, func(held seat.Seat) bool { return held.Spotlit() == lit })
		if len(targets) == 0 {
			return nil
		}
		if lit {
			people, err := seat.People(ctx, tx, by.Room.ID)
			if err != nil {
				return err
			}
			if err := mayLight(by.Room, people, targets, s.Now()); err != nil {
				return err
			}
		}
		for _, held := range targets {
			held.SpotlitAt = time.Time{}
			if lit {
				held.SpotlitAt = s.Now()
			}
			if err := seat.Save(ctx, tx, held); err != nil {
				return err
			}
		}
		return s.Stream.Changed(ctx, tx, by.Room.ID)
	})
}

// mayLight refuses a fourth person in the spotlight, and people in the audience.
// people are those who are in or may come back.
func mayLight(r room.Room, people, more []seat.Seat, now time.Time) error {
	if slices.ContainsFunc(more, func(held seat.Seat) bool { return !held.May(r).Camera }) {
		return fault.Conflicting(api.CodeNotOnStage, "This person is in the audience, which nobody sees. Invite them to the stage first.")
	}
	lit := len(more)
	for _, held := range people {
		if held.Spotlit() && held.OnStageStill(now) {
			lit++
		}
	}
	if lit > mostSpotlights {
		return fault.Conflicting(api.CodeLimitReached, "Three people are in the spotlight already. Remove the spotlight from one of them first.")
	}
	return nil
}

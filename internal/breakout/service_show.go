package breakout

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/live"
	"github.com/conclave-rooms/conclave/internal/room"
)

// Show is what people are told of the breakouts of a room.
func (s *Service) Show(ctx context.Context, tx *db.Tx, r room.Room) (live.ShowTo, error) {
	session, err := running(ctx, tx, r.ID)
	if err != nil {
		return nil, err
	}
	if session == nil {
		return func(live.Seat) ([]live.Shown, error) {
			return []live.Shown{{Name: "breakouts", Data: breakoutsView{}}, {Name: "announcement", Data: nil}}, nil
		}, nil
	}
	seats, err := s.Live.People(ctx, tx, r.ID)
	if err != nil {
		return nil, err
	}
	said, err := lastAnnouncement(ctx, tx, session.ID)
	if err != nil {
		return nil, err
	}
	people := attendees(seats)
	rooms, unassigned := session.roomObjects(people), session.unassigned(people)
	whole, err := json.Marshal(rooms) // once for everybody who sees all of it
	if err != nil {
		return nil, fmt.Errorf("write the rooms: %w", err)
	}
	return func(seat live.Seat) ([]live.Shown, error) {
		v := session.viewFor(seat)
		v.Rooms, v.Unassigned = whole, unassigned
		if !session.seesAll(seat) {
			own, err := json.Marshal(session.ownOnly(rooms, seat)) // several streams ask at once
			if err != nil {
				return nil, fmt.Errorf("write the rooms: %w", err)
			}
			v.Rooms, v.Unassigned = own, []api.UnassignedPerson{}
		}
		return []live.Shown{{Name: "breakouts", Data: breakoutsView{&v}}, {Name: "announcement", Data: said.view(s.Now())}}, nil
	}, nil
}

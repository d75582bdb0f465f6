package breakout

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// Board shows the breakouts of the room to people in the meeting.
func (s *Service) Board() stream.Board {
	return stream.Board{Name: "breakouts", Revision: nil, Arriving: false, Read: s.read}
}

func (s *Service) read(ctx context.Context, tx *db.Tx, roomID string) (stream.ShowTo, error) {
	session, err := running(ctx, tx, roomID)
	if err != nil {
		return nil, err
	}
	if session == nil {
		return func(context.Context, seat.Seat) ([]stream.Shown, error) {
			return []stream.Shown{{Name: "breakouts", Data: breakoutsView{}}, {Name: "announcement", Data: nil}}, nil
		}, nil
	}
	seats, err := seat.People(ctx, tx, roomID)
	if err != nil {
		return nil, err
	}
	said, err := lastAnnouncement(ctx, tx, session.ID)
	if err != nil {
		return nil, err
	}
	people := attendees(seats)
	rooms, unassigned := session.roomObjects(people), session.unassigned(people)
	whole, err := json.Marshal(rooms) // once for everybody who sees all rooms
	if err != nil {
		return nil, fmt.Errorf("write the rooms: %w", err)
	}
	return func(_ context.Context, held seat.Seat) ([]stream.Shown, error) {
		v := session.viewFor(held)
		v.Rooms.JSON, v.Unassigned = whole, unassigned
		if !session.seesAll(held) {
			own, err := json.Marshal(session.ownOnly(rooms, held)) // several streams may run this at once
			if err != nil {
				return nil, fmt.Errorf("write the rooms: %w", err)
			}
			v.Rooms.JSON, v.Unassigned = own, []api.UnassignedPerson{}
		}
		return []stream.Shown{{Name: "breakouts", Data: breakoutsView{&v}}, {Name: "announcement", Data: said.view(s.Now())}}, nil
	}, nil
}

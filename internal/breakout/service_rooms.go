package breakout

import (
	"context"
	"fmt"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/room"
)

// Add adds a room with a key of its own.
func (s *Service) Add(ctx context.Context, authorize actor.Authorize, name string) (api.BreakoutSession, error) {
	return s.withSession(ctx, authorize, func(tx *db.Tx, current scene) error {
		if len(current.Session.Rooms) >= mostRooms {
			return fault.Conflicting(api.CodeLimitReached, fmt.Sprintf("A session has at most %d rooms. Remove one first.", mostRooms))
		}
		position := current.Session.nextPosition()
		return s.addRoom(ctx, tx, current.Session, Room{ID: id.New(), Name: orNumbered(name, position), Position: position})
	})
}

// Rename gives a room another name.
func (s *Service) Rename(ctx context.Context, authorize actor.Authorize, breakoutID, name string) (api.BreakoutSession, error) {
	return s.withSession(ctx, authorize, func(tx *db.Tx, current scene) error {
		r, there := current.Session.room(breakoutID)
		if !there {
			return fault.Missing()
		}
		r.Name = name
		return saveRoom(ctx, tx, current.Session.ID, r)
	})
}

// Remove closes one room. The people in it return to the main room, and are
// unassigned.
func (s *Service) Remove(ctx context.Context, authorize actor.Authorize, breakoutID string) (api.BreakoutSession, error) {
	return s.withSession(ctx, authorize, func(tx *db.Tx, current scene) error {
		if _, there := current.Session.room(breakoutID); !there {
			return fault.Missing()
		}
		if len(current.Session.Rooms) == 1 {
			return fault.Conflicting(api.CodeLastBreakoutRoom, "A session keeps at least one room. End it to close the last one.")
		}
		if err := deleteRoom(ctx, tx, current.Session.ID, breakoutID); err != nil {
			return err
		}
		return s.Live.CloseBreakout(ctx, tx, current.Session.RoomID, breakoutID)
	})
}

// announcesIn finds the room in which the actor can announce something now.
func (s *Service) announcesIn(ctx context.Context, authorize actor.Authorize) (room.Room, error) {
	var by actor.Actor
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		if by, err = authorize(ctx, tx, actor.Directs); err != nil {
			return err
		}
		session, err := running(ctx, tx, by.Room.ID)
		if err == nil && session == nil {
			err = errNotOpen()
		}
		return err
	})
	return by.Room, err
}

// Announce shows a message to everybody in the meeting and in every breakout.
func (s *Service) Announce(ctx context.Context, authorize actor.Authorize, message string) (roomID string, err error) {
	_, err = s.withSession(ctx, authorize, func(tx *db.Tx, current scene) error {
		roomID = current.Actor.Room.ID
		a := announcement{ID: id.New(), Message: message, From: current.Actor.Name(), At: s.Now()}
		return saveAnnouncement(ctx, tx, current.Session.ID, a)
	})
	return roomID, err
}

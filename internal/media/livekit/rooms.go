package livekit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"

	"github.com/conclave-rooms/conclave/internal/media"
)

// EnsureRoom makes the room, or finds it.
func (s *Server) EnsureRoom(ctx context.Context, room string) (media.Room, error) {
	ctx, err := s.as(ctx, &auth.VideoGrant{RoomCreate: true})
	if err != nil {
		return media.Room{}, err
	}
	made, err := s.rooms.CreateRoom(ctx, &livekit.CreateRoomRequest{
		Name:             room,
		EmptyTimeout:     seconds(s.empty),
		DepartureTimeout: seconds(s.departure),
	})
	if err != nil {
		return media.Room{}, fmt.Errorf("make media room: %w", translate(err))
	}
	return media.Room{Name: made.Name, Generation: made.Sid}, nil
}

func seconds(d time.Duration) uint32 { return uint32(d / time.Second) }

// CloseRoom closes the room, if it is there.
func (s *Server) CloseRoom(ctx context.Context, room string) error {
	ctx, err := s.as(ctx, &auth.VideoGrant{RoomCreate: true})
	if err != nil {
		return err
	}
	_, err = s.rooms.DeleteRoom(ctx, &livekit.DeleteRoomRequest{Room: room})
	if err = translate(err); err != nil && !errors.Is(err, media.ErrNotFound) {
		return fmt.Errorf("close media room: %w", err)
	}
	return nil
}

// Rooms lists rooms.
func (s *Server) Rooms(ctx context.Context, names ...string) ([]media.Room, error) {
	listed, err := s.list(ctx, names)
	if err != nil {
		return nil, fmt.Errorf("list media rooms: %w", err)
	}
	rooms := make([]media.Room, 0, len(listed))
	for _, r := range listed {
		rooms = append(rooms, media.Room{Name: r.Name, Generation: r.Sid})
	}
	return rooms, nil
}

func (s *Server) list(ctx context.Context, names []string) ([]*livekit.Room, error) {
	ctx, err := s.as(ctx, &auth.VideoGrant{RoomList: true})
	if err != nil {
		return nil, err
	}
	res, err := s.rooms.ListRooms(ctx, &livekit.ListRoomsRequest{Names: names})
	if err != nil {
		return nil, translate(err)
	}
	return res.Rooms, nil
}

// exists fails if the room is not there. It is called before anything inside a
// room: LiveKit answers a question about a missing room with an empty list or,
// after seconds, with a timeout.
func (s *Server) exists(ctx context.Context, room string) error {
	rooms, err := s.list(ctx, []string{room})
	if err != nil {
		return err
	}
	if len(rooms) == 0 {
		return fmt.Errorf("%w: no media room %q", media.ErrNotFound, room)
	}
	return nil
}

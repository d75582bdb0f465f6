package livekit

import (
	"context"
	"errors"

	"github.com/conclave-rooms/conclave/internal/media"
)

// EnsureRoom makes the room, or finds it. It fails for a moment after Redis was gone or
// has lost what it knew: another node may hold a room of that name, which Redis does
// not know again yet.
func (e *Embedded) EnsureRoom(ctx context.Context, room string) (media.Room, error) {
	if err := e.agreed(); err != nil {
		return media.Room{}, err
	}
	return e.Server.EnsureRoom(ctx, room)
}

// UpstreamToken makes a token with which the connection makes the room. In a cluster it
// makes the room before: people who arrive at several nodes at once would choose
// different nodes for a room that is not there yet.
func (e *Embedded) UpstreamToken(ctx context.Context, g media.Grant) (string, error) {
	if e.order.Config.Redis.Address == "" {
		g.MakesRoom = true
	} else if _, err := e.EnsureRoom(ctx, g.Room); err != nil {
		return "", err
	}
	return e.MintToken(g)
}

// MintToken makes a token. While EnsureRoom would fail, it makes none that makes a room.
func (e *Embedded) MintToken(g media.Grant) (string, error) {
	if g.MakesRoom {
		if e.running() == nil {
			return "", errAway
		}
		if err := e.agreed(); err != nil {
			return "", err
		}
	}
	return e.Server.MintToken(g)
}

// errAway is the error of a media server whose process has ended.
var errAway = errors.New("the media server has ended and is being started again")

// agreed says whether Redis knows the rooms of all nodes.
func (e *Embedded) agreed() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unsettled {
		return errors.New("the media servers are comparing their rooms with Redis")
	}
	return nil
}

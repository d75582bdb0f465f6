package livekit

import (
	"context"
	"iter"
	"sync"

	"github.com/livekit/livekit-server/pkg/rtc"
	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/protocol/livekit"
)

// roster is the names of rooms that this node may hold. LiveKit does not list its
// rooms, but it makes a logger for each room and for each person in one.
type roster struct {
	mu    sync.Mutex
	rooms map[livekit.RoomName]struct{}
}

func newRoster() *roster { return &roster{rooms: map[livekit.RoomName]struct{}{}} }

// hear takes the values of a new logger.
func (r *roster) hear(kv []any) {
	if r == nil {
		return
	}
	for i := 1; i < len(kv); i += 2 {
		if name, ok := kv[i].(livekit.RoomName); ok {
			r.mu.Lock()
			r.rooms[name] = struct{}{}
			r.mu.Unlock()
		}
	}
}

// open looks up the rooms, and forgets the names of those that were closed: every
// breakout and every connection test has a media room of its own. The service asks for
// the number of people every two seconds, so names do not become more and more.
func (r *roster) open(ctx context.Context, rooms *service.RoomManager) iter.Seq[*rtc.Room] {
	return func(yield func(*rtc.Room) bool) {
		for _, name := range r.names() {
			room := rooms.GetRoom(ctx, name)
			if room == nil || room.IsClosed() {
				r.forget(name)
				continue
			}
			if !yield(room) {
				return
			}
		}
	}
}

// people is the number of people in the rooms.
func (r *roster) people(ctx context.Context, rooms *service.RoomManager) int {
	n := 0
	for room := range r.open(ctx, rooms) {
		n += room.GetParticipantCount()
	}
	return n
}

func (r *roster) names() []livekit.RoomName {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := make([]livekit.RoomName, 0, len(r.rooms))
	for name := range r.rooms {
		names = append(names, name)
	}
	return names
}

func (r *roster) forget(name livekit.RoomName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.rooms, name)
}

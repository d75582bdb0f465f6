package livekit

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/livekit/livekit-server/pkg/rtc/types"
	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/protocol/livekit"
)

// LiveKit keeps every data channel that a client opens under a new name, with a
// goroutine and 64 KiB each, and a client may open 65,535 of them. Honest
// clients open none: they use channels with names that LiveKit knows, and it
// keeps one channel for each of those names.
//
// LiveKit has no setting that limits them, and the WebRTC library below it has none
// either (a SettingEngine limits the sizes of messages and buffers, an interceptor does
// not see data channels; and LiveKit gives no access to either). But LiveKit logs a
// line about each channel, so these lines are counted.
const (
	channelAdded = "unlabeled datachannel added"
	mostChannels = 8
)

// session is one participant's session, as identified by the values of its
// loggers. All loggers of a session share its count.
type session struct {
	room     livekit.RoomName
	identity livekit.ParticipantIdentity
	id       livekit.ParticipantID
	channels *atomic.Int64
}

// with returns the session of a logger that was given further values.
func (s *session) with(kv []any) *session {
	next := session{}
	if s != nil {
		next = *s
	}
	for i := 0; i+1 < len(kv); i += 2 {
		switch v := kv[i+1].(type) {
		case livekit.RoomName:
			next.room = v
		case livekit.ParticipantIdentity:
			next.identity = v
		case livekit.ParticipantID:
			if kv[i] == "participantID" && v != next.id {
				next.id, next.channels = v, new(atomic.Int64)
			}
		}
	}
	return &next
}

// guard removes participants who open too many data channels.
type guard struct {
	rooms  atomic.Pointer[service.RoomManager]
	remove func(*session) // nil: from its room; tests replace it
}

// watch tells the guard where participants are, once LiveKit runs.
func (g *guard) watch(rooms *service.RoomManager) { g.rooms.Store(rooms) }

// opened counts one more channel. LiveKit's own goroutine calls it, so it must
// not block. It removes the participant at the first channel above the limit
// and again after each mostChannels more, in case the participant was still
// arriving.
func (g *guard) opened(s *session) {
	if g == nil || s == nil || s.channels == nil {
		return
	}
	n := s.channels.Add(1)
	if n <= mostChannels || (n-1)%mostChannels != 0 {
		return
	}
	if g.remove != nil {
		g.remove(s)
		return
	}
	go g.removeParticipant(s)
}

func (g *guard) removeParticipant(s *session) {
	rooms := g.rooms.Load()
	if rooms == nil {
		return
	}
	if room := rooms.GetRoom(context.Background(), s.room); room != nil {
		room.RemoveParticipant(s.identity, s.id, types.ParticipantCloseReasonServiceRequestRemoveParticipant)
	}
}

// String names the session, for tests.
func (s *session) String() string { return fmt.Sprintf("%s in %s", s.identity, s.room) }

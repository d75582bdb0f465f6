package live

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// Service runs the meetings.
type Service struct {
	DB        *db.DB
	Events    *event.Log
	Media     media.Server
	Stream    *stream.Service
	Now       func() time.Time
	Later     func(d time.Duration, f func()) // calls f after d has passed on the clock of Now
	Logger    *slog.Logger
	PublicURL string
	// OnHostJoined is called for the first of the room's own hosts to be in a
	// meeting, in the transaction of their joining.
	OnHostJoined func(ctx context.Context, tx *db.Tx, r room.Room) error
	// OnEnd is called when the meeting of a room ends, or is ended with nobody
	// in it, before anybody learns of it.
	OnEnd func(ctx context.Context, tx *db.Tx, r room.Room) error
	// OnRename is called for each seat of a person who changed their name, in the
	// same transaction.
	OnRename func(ctx context.Context, tx *db.Tx, renamed seat.Seat) error
	// Takes says whether this node compares a room with the media server in a round of
	// Run, or leaves that to another node.
	Takes func(roomID string, round int) bool
	// OnCompared is called after every Sync that was requested. It must not block.
	OnCompared func(Compared)
	// PlaceOf returns the breakout of a person who comes in; "" is the main
	// room.
	PlaceOf func(ctx context.Context, tx *db.Tx, roomID, person string) (breakoutID string, err error)
	// Cut closes the signalling connections of an identity at once.
	Cut func(identity string)
	// UpdateRoom changes a room for one of its hosts.
	UpdateRoom func(ctx context.Context, tx *db.Tx, before room.Room, u api.RoomUpdate) (room.Room, error)

	mu       sync.Mutex
	arriving map[string]map[string]time.Time // by room: since when sessions arrive
	departed map[string]departures           // by room: who left since the last Sync, by the hints
	goodbyes map[string]map[string]time.Time // by media room: when the gate heard identities say goodbye
	queue    map[string]*queued              // by room: Syncs that wait or run
	syncing  map[string]*oneAtATime          // by room: the Sync that is at work
	settled  bool                            // starts no more Syncs
	ticked   atomic.Int64
}

// grantOf is the grant with which the media server enforces a seat's rights.
func grantOf(r room.Room, held seat.Seat) media.Grant {
	may := rightsIn(r, held)
	g := media.Grant{
		Room: seat.MediaRoom(r.ID, held.BreakoutID), Identity: held.Identity, Name: held.Name, PublishData: may.Data, OwnAttributes: may.OwnAttributes,
		Attributes: map[string]string{"role": string(held.RoleNow())},
	}
	if held.Avatar != "" {
		g.Attributes["avatar"] = held.Avatar
	}
	if !held.HandRaisedAt.IsZero() {
		g.Attributes[handRaised] = "true"
	}
	for _, source := range []struct {
		allowed bool
		is      media.Source
	}{
		{may.Microphone, media.Microphone},
		{may.Camera, media.Camera},
		{may.ScreenShare, media.ScreenShare},
		{may.ScreenShareAudio, media.ScreenShareAudio},
	} {
		if source.allowed {
			g.PublishSources = append(g.PublishSources, source.is)
		}
	}
	return g
}

// rightsOf are the rights that a grant gives.
func rightsOf(g media.Grant) rights {
	may := func(s media.Source) bool { return slices.Contains(g.PublishSources, s) }
	return rights{
		Microphone: may(media.Microphone), Camera: may(media.Camera), ScreenShare: may(media.ScreenShare), ScreenShareAudio: may(media.ScreenShareAudio),
		Data: g.PublishData, OwnAttributes: g.OwnAttributes,
	}
}

// upstreamTTL is how long the token is valid with which the gate connects a
// device to the media server. It is used at once.
const upstreamTTL = 2 * time.Minute

// Connect makes the token with which the gate connects a seat that was let through.
func (s *Service) Connect(ctx context.Context, r room.Room, held seat.Seat) (string, error) {
	g := grantOf(r, held)
	g.TTL = upstreamTTL
	token, err := s.Media.UpstreamToken(ctx, g)
	if err != nil {
		return "", mediaDown(err)
	}
	return token, nil
}

func mediaDown(cause error) error {
	return fault.Down(api.CodeMediaUnavailable, "The media server does not answer at the moment. Try again in a few seconds.", 3*time.Second, cause)
}

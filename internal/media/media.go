package media

import (
	"context"
	"time"
)

// Source is what a track carries.
type Source string

// The sources the service distinguishes.
const (
	Microphone       Source = "microphone"
	Camera           Source = "camera"
	ScreenShare      Source = "screen_share"
	ScreenShareAudio Source = "screen_share_audio"
)

// Grant is what one connection may do in one media room.
type Grant struct {
	Room           string            // the media room's name
	Identity       string            // the connection identity
	Name           string            // display name
	Attributes     map[string]string // shown to everyone: role, avatar
	PublishSources []Source          // none: may publish nothing
	PublishData    bool              // chat and reactions
	OwnAttributes  bool              // may set its own attributes (stock clients raise hands with them)
	MakesRoom      bool              // the room is made if it is missing
	TTL            time.Duration
}

// Track is one published track.
type Track struct {
	ID     string
	Source Source
	Muted  bool
}

// Participant is one connection in a media room, as the media server sees it.
type Participant struct {
	Identity  string
	SessionID string // the media server's id of this connection
	Name      string
	JoinedAt  time.Time
	// Arriving: its main connection is not up yet, so it hears nobody. With
	// Tracks it can be heard, because it publishes on its other connection.
	Arriving   bool
	Attributes map[string]string
	Tracks     []Track
	// Grant is what the person may do now: PublishSources, in no order, PublishData and
	// OwnAttributes; the other fields are empty.
	Grant Grant
}

// Room is one media room. Generation changes when the media server made the
// room anew (it restarted, or the room was closed): people who were in the old
// one are coming back, or are gone.
type Room struct {
	Name       string
	Generation string
}

// HintKind is what a hint is about.
type HintKind string

// The kinds of hints.
const (
	HintJoined    HintKind = "joined"
	HintLeft      HintKind = "left"
	HintPublished HintKind = "published"
	HintOther     HintKind = "other"
)

// Hint says that something changed in a room. Hints may be lost, late or
// repeated. They make the service look sooner, and tell a goodbye from a lost network.
type Hint struct {
	Kind      HintKind
	Room      string
	Identity  string
	SessionID string
	// Deliberate is set on HintLeft when the client said goodbye; without it
	// the client vanished.
	Deliberate bool
	// JoinedAt is set on HintLeft: since when the client had been there, by the
	// media server's clock.
	JoinedAt time.Time
}

// Server is a media server.
//
// Its errors are ErrNotFound when the room, participant or track is not there,
// and any other when the media server could not be asked.
type Server interface {
	// EnsureRoom makes the room if it is missing, and returns its generation.
	EnsureRoom(ctx context.Context, room string) (Room, error)
	// CloseRoom disconnects everyone and forgets the room. Closing a missing room is not an error.
	CloseRoom(ctx context.Context, room string) error
	// Rooms lists the rooms that exist; with names, only those.
	Rooms(ctx context.Context, names ...string) ([]Room, error)
	// Participants lists the connections, arriving ones too, in no order. A
	// missing room is ErrNotFound.
	Participants(ctx context.Context, room string) ([]Participant, error)
	// Remove disconnects a person. With a session it removes only that connection: a
	// newer one of the same person stays, and the answer is ErrNotFound.
	Remove(ctx context.Context, room, identity, session string) error
	// MuteTrack mutes (or, where the media server allows it, unmutes) one track.
	MuteTrack(ctx context.Context, room, identity, trackID string, muted bool) error
	// UpdateGrant changes at once the name of a connected person and what they may
	// do; tracks of sources that are no longer allowed stop. Only Room, Identity,
	// Name, PublishSources, PublishData and OwnAttributes of the grant count, and an
	// empty Name changes nothing.
	UpdateGrant(ctx context.Context, g Grant) error
	// SetAttributes merges attributes into a connected person's; an empty value deletes.
	SetAttributes(ctx context.Context, room, identity string, attributes map[string]string) error
	// UpstreamToken makes the token with which the gate connects a person upstream, to a
	// room that exists or that the connection makes. It fails while the media server is
	// known to take nobody.
	UpstreamToken(ctx context.Context, g Grant) (string, error)
	// MintToken makes a token for a room that exists.
	MintToken(g Grant) (string, error)
	// Upstream is the WebSocket address (ws:// or wss://) behind the gate, without a path.
	Upstream() string
	// Hints is the stream of hints. It is one channel for the life of the server.
	Hints() <-chan Hint
	// Ready says whether the media server answers.
	Ready(ctx context.Context) error
}

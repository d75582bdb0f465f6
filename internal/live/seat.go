package live

import (
	"cmp"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/room"
)

// Status is where a seat is in its life; doc.go draws it.
type Status string

// The statuses.
const (
	New     Status = "new"     // let through by the gate, not seen yet
	In      Status = "in"      // in the meeting
	Lost    Status = "lost"    // was in, may come back, also into a locked room
	Left    Status = "left"    // left deliberately
	Removed Status = "removed" // sent away: this identity never connects again
	Over    Status = "over"    // its meeting ended

	Waiting Status = "waiting" // knocks, and waits for a host to answer
	Early   Status = "early"   // waits for a host to arrive
	Denied  Status = "denied"  // was turned away
	Expired Status = "expired" // waited for an hour, and nobody answered
)

// Kind is how the person came in.
type Kind string

// The kinds of seats.
const (
	KindToken Kind = "token" // a media token of the API
	KindLink  Kind = "link"  // a join link
	KindGuest Kind = "guest" // the room's own link, without an account
	KindUser  Kind = "user"  // the room's own link, signed in
)

// Seat is one person's place in a room.
type Seat struct {
	RoomID       string
	WorkspaceID  string
	Identity     string
	MeetingID    string // the meeting it is in, or was last in
	Kind         Kind
	LinkID       string
	Name         string
	Role         api.Role
	Avatar       string
	Status       Status
	TicketHash   string
	OwnInterface bool      // the client honours mute_on_entry by itself
	EntryHandled bool      // its first microphone was dealt with
	BreakoutID   string    // where its device has to be; "" is the main room
	PlacedAt     time.Time // when it was sent there, or on the way first sent elsewhere
	Generation   string    // of the media room where it was last seen; "" while on the way to another one
	MissingSince time.Time
	AdmittedAt   time.Time
	HandRaisedAt time.Time
	Cohost       bool      // a host gave them a host's powers for this meeting
	OnStage      bool      // in a webinar: may speak
	MutedAt      time.Time // when a host last muted them
	JoinedAt     time.Time
	LeftAt       time.Time // when they were last in, or were removed
	Admitted     bool      // a host let them in, until the meeting ends
	Denials      int       // how often a host turned them away
	WaitingSince time.Time
	AwayAt       time.Time // since when none of their devices follows, while they wait; as WaitingSince when none has yet
	Late         int       // how often in a row its device was put out for arriving too slowly
	LateAt       time.Time // when that last happened
	Network      string    // a keyed hash of the network it was taken from, while that counts; "" for none
	CreatedAt    time.Time
}

// Person is the part of an identity before its last dot: the same on every
// device of one person.
func Person(identity string) string {
	if i := strings.LastIndexByte(identity, '.'); i >= 0 {
		return identity[:i]
	}
	return identity
}

// canName says whether a text can be an identity, or the person before its dot.
// What cannot is never asked of the database: PostgreSQL takes offence at a
// text with a zero byte, and at one that is not UTF-8.
func canName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// userPrefix begins the identity of an account; its id follows, up to the dot.
const userPrefix = "user_"

// UserPerson is the participant id of an account: the same on every device.
func UserPerson(accountID string) string { return userPrefix + accountID }

// Account is the id of the account that has the seat; "" for whoever came
// without one.
func (s Seat) Account() string {
	if s.Kind != KindUser {
		return ""
	}
	return strings.TrimPrefix(Person(s.Identity), userPrefix)
}

// RoleNow is the role somebody acts with: a co-host reads as a host.
func (s Seat) RoleNow() api.Role {
	if s.Cohost {
		return api.RoleHost
	}
	return s.Role
}

// directs says whether the seat gives its holder a host's powers now.
func (s Seat) directs() bool { return (s.Alive() || s.Status == New) && s.RoleNow() == api.RoleHost }

// OwnHost says whether the person is one of the room's own hosts, rather than
// a co-host.
func (s Seat) OwnHost() bool { return s.Role == api.RoleHost }

// May is what the seat may do in its room now. A breakout has no audience.
func (s Seat) May(r room.Room) May { return Rights(r, s.RoleNow(), s.OnStage || s.BreakoutID != "") }

// Alive says whether the person is in, or may come back in without being let
// in anew.
func (s Seat) Alive() bool { return s.Status == In || s.Status == Lost }

// welcome says whether a device may be connected on the seat.
func (s Seat) welcome(r room.Room) bool { return (s.Status == New || s.Alive()) && !r.Deleted() }

// lostFor is how long somebody whose connection is gone is still taken for being
// in the meeting where they act or listen by their ticket: a device that comes
// back takes less. Who stays away for longer is on nobody's list, and must not
// go on directing what they are not seen to be in.
const lostFor = time.Minute

// Takes says whether the person takes part now: they are in, or lost the
// connection a moment ago.
func (s Seat) Takes(now time.Time) bool {
	return s.Status == In || s.Status == Lost && now.Before(s.LeftAt.Add(lostFor))
}

// entersMuted says whether the first microphone of the seat is to be muted: in
// rooms that want it, and just after a host muted somebody who had none yet,
// because they were moving or coming back.
func (s Seat) entersMuted(r room.Room, now time.Time) bool {
	return r.Settings.MuteOnEntry && !s.OwnInterface || now.Before(s.MutedAt.Add(connectGrace))
}

// Waits says whether the person is before the door, waiting.
func (s Seat) Waits() bool { return s.Status == Waiting || s.Status == Early }

// networkKept is what is kept of the network a seat was taken from: nothing
// once the seat counts neither as waiting nor as unused.
func (s Seat) networkKept() string {
	if s.Waits() || s.Status == New {
		return s.Network
	}
	return ""
}

// admits says whether a host let the person in on this seat, and did not send
// them away since.
func (s Seat) admits() bool { return s.Admitted && s.Status != Removed }

// Here says whether somebody who waits counts as being there: their device
// follows, or they came a moment ago and it may still.
func (s Seat) Here() bool { return s.AwayAt.IsZero() || s.AwayAt.Equal(s.WaitingSince) }

// Ref names the person in an event.
func (s Seat) Ref() api.ParticipantRef {
	return api.ParticipantRef{Identity: s.Identity, Name: s.Name, Role: s.RoleNow()}
}

// May is what a seat may do in its room now.
type May struct {
	Microphone  bool `json:"microphone"`
	Camera      bool `json:"camera"`
	ScreenShare bool `json:"screen_share"`
	Chat        bool `json:"chat"`
	Reactions   bool `json:"reactions"`
}

// Rights works out what a role may do in a room. In a webinar the audience
// watches until it is invited to the stage; it chats and reacts as the room
// allows.
func Rights(r room.Room, role api.Role, onStage bool) May {
	speaks := role == api.RoleHost || onStage || !r.Webinar()
	return May{
		Microphone:  speaks,
		Camera:      speaks,
		ScreenShare: speaks && (role == api.RoleHost || r.Settings.ScreenShare == "everyone"),
		Chat:        r.Settings.Chat,
		Reactions:   r.Settings.Reactions,
	}
}

// rights are what the media server enforces of what a person may do.
type rights struct {
	Microphone, Camera, ScreenShare, ScreenShareAudio bool

	Data   bool
	Rename bool // may set its own attributes
}

// rights works out what the media server is to enforce for a seat. Without a
// ticket the participant attribute is the only way to raise a hand. With one,
// nobody needs to write attributes.
func (s Seat) rights(r room.Room) rights {
	may := s.May(r)
	return rights{
		Microphone: may.Microphone, Camera: may.Camera, ScreenShare: may.ScreenShare, ScreenShareAudio: may.ScreenShare,
		Data: may.Chat || may.Reactions, Rename: s.TicketHash == "",
	}
}

// byArrival orders people by when they came in.
func byArrival(a, b Seat) int {
	return cmp.Or(a.JoinedAt.Compare(b.JoinedAt), cmp.Compare(a.Identity, b.Identity))
}

// Meeting is one run of people being in a room.
type Meeting struct {
	ID          string
	RoomID      string
	WorkspaceID string
	StartedAt   time.Time
	EmptiedAt   time.Time // since when nobody is in; zero while somebody is
	HostJoined  bool      // one of the room's own hosts has been in
}

// Why a meeting closed, and why a person is gone, as the events say it.
const (
	ReasonEmpty        = "empty"
	ReasonEnded        = "ended"
	ReasonDeleted      = "deleted"
	ReasonLeft         = "left"
	ReasonRemoved      = "removed"
	ReasonDisconnected = "disconnected"
)

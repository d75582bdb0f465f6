package seat

import (
	"cmp"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/room"
)

// Status is where a seat is in its life; doc.go draws it.
type Status string

// The statuses.
const (
	LetThrough Status = "new"     // let through by the gate, not seen yet
	In         Status = "in"      // in the meeting
	Lost       Status = "lost"    // was in, may come back, also into a locked room
	Left       Status = "left"    // left with a goodbye
	Removed    Status = "removed" // removed by a host or a key: this identity never connects again
	Over       Status = "over"    // its meeting ended

	Waiting Status = "waiting" // knocks, and waits for a host to answer
	Early   Status = "early"   // waits for a host to arrive
	Denied  Status = "denied"  // denied by a host
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

// Seat is one device's place in a room: who the person is, and what they may do.
type Seat struct {
	Holder
	RoomID      string
	WorkspaceID string
	MeetingID   string // the meeting it is in, or was last in
	Status      Status
	Place
	Connection
	Given
	Line
	HandRaisedAt time.Time
	RenamedAt    time.Time // when they last changed their name; zero while they have the one they came with
	JoinedAt     time.Time
	LeftAt       time.Time // when they were last in, or were removed
	CreatedAt    time.Time
}

// Holder is the person on a seat, and what they come with.
type Holder struct {
	Identity     string
	Kind         Kind
	LinkID       string
	Name         string
	OwnName      bool // they chose the name themselves when they came
	Role         api.Role
	Avatar       string
	TicketHash   string // "" when the client has no ticket
	OwnInterface bool   // the client honours mute_on_entry and camera_off_on_entry by itself
	Strict       bool   // the device can make the keys of a strict meeting, and joined one
	Network      string // a keyed hash of the network they come from, while that counts; "" for none
}

// Place is where the device has to be.
type Place struct {
	BreakoutID string    // "" is the main room
	PlacedAt   time.Time // when it was sent there; on the way, when it was first sent elsewhere
	Generation string    // of the media room where it was last seen; "" while on the way to another one
}

// Connection is what is remembered of the device's connection to the media
// server.
type Connection struct {
	LetThroughAt time.Time // when the gate last let the device through
	MissingSince time.Time
	Late         int       // how often in a row it was disconnected for being late
	LateAt       time.Time // when that last happened

	MicrophoneHandled bool // its first microphone was checked for mute on entry
	CameraHandled     bool // its first camera was checked for camera off on entry

	ArrivingFor time.Duration // how long it had only its signalling in connections before the present one, since it was last in
	ArrivingAt  time.Time     // since when the present connection has only its signalling; zero while the device is in
}

// Given is what hosts gave to the person or took, until the meeting ends.
type Given struct {
	Admitted bool      // a host let them in
	Denials  int       // how often a host turned them away
	Cohost   bool      // they have a host's powers
	OnStage  bool      // in a webinar: may speak
	MutedAt  time.Time // when a host last muted them

	CameraStoppedAt time.Time // when a host last stopped their camera
	AskedToUnmuteAt time.Time // when a host last asked them to unmute
	SpotlitAt       time.Time // since when a host shows them large to everybody; zero when none does
}

// Line is the person's place in the line.
type Line struct {
	WaitingSince time.Time
	AwayAt       time.Time // since when no stream of theirs is open; equals LetThroughAt when they have opened none since they asked
}

// RoleNow is the role that people see: a co-host is shown as a host, except while
// they wait to come back, or after nobody let them in.
func (s Seat) RoleNow() api.Role {
	if s.Cohost && !s.Waits() && s.Status != Denied && s.Status != Expired {
		return api.RoleHost
	}
	return s.Role
}

// Directs says whether the seat gives its holder a host's powers now.
func (s Seat) Directs() bool {
	return (s.Alive() || s.Status == LetThrough) && s.RoleNow() == api.RoleHost
}

// OwnHost says whether the person is one of the room's own hosts, rather than
// a co-host.
func (s Seat) OwnHost() bool { return s.Role == api.RoleHost }

// Alive says whether the person is in, or may come back without being let in
// again.
func (s Seat) Alive() bool { return s.Status == In || s.Status == Lost }

// MayBeConnected says whether a device may be connected on the seat. A device that was let
// through and is not in yet has to go when the room is locked. When the room becomes
// strict, it cannot make the keys that are needed then.
func (s Seat) MayBeConnected(r room.Room) bool {
	if r.Deleted() || r.Strict() && !s.Strict {
		return false
	}
	return s.Alive() || s.Status == LetThrough && !r.Locked
}

// ConnectGrace is how long a person may be missing on the media server after the
// gate let them through. A person who reconnects has neither connection for a
// moment.
const ConnectGrace = 10 * time.Second

// unusedFor is how long a seat that was given and never used is kept. Media tokens
// for it are made for ten minutes, and each may be used for ten more.
const unusedFor = 20 * time.Minute

// lostFor is how long a person whose connection is gone may still act and listen
// with their ticket. A device that comes back takes less. People who stay away for
// longer are not listed, and must not direct a meeting in which the others do not
// see them.
const lostFor = time.Minute

// Takes says whether the person takes part now: they are in, or lost the
// connection a moment ago.
func (s Seat) Takes(now time.Time) bool {
	return s.Status == In || s.Status == Lost && s.goneFor(now) < lostFor
}

// goneFor is the time between now and the moment at which the person left. That moment lies
// ahead if the clock was set back since, and far ahead counts as long ago: nobody who is not
// listed directs a meeting until the clock has caught up.
func (s Seat) goneFor(now time.Time) time.Duration { return now.Sub(s.LeftAt).Abs() }

// MutedWhileGone says whether a host muted the person after their connection was lost.
func (s Seat) MutedWhileGone() bool { return s.Status == Lost && !s.MutedAt.Before(s.LeftAt) }

// EntersMuted says whether the first microphone of the seat must be muted: by the
// room's setting, and just after a host muted a person who had none yet, because
// they were moving or coming back.
func (s Seat) EntersMuted(r room.Room, now time.Time) bool {
	return r.Settings.MuteOnEntry && !s.OwnInterface || momentAgo(s.MutedAt, now)
}

// EntersCameraOff says whether the first camera of the seat must be turned off, by the
// room's setting.
func (s Seat) EntersCameraOff(r room.Room) bool {
	return r.Settings.CameraOffOnEntry && !s.OwnInterface
}

// Moved says whether the person was placed somewhere else a moment ago, so that their
// microphone and camera are still on the way.
func (s Seat) Moved(now time.Time) bool { return momentAgo(s.PlacedAt, now) }

// momentAgo says whether something happened within ConnectGrace. A time that lies further
// ahead is from before the clock was set back, and not a moment ago either. Clocks of nodes
// may differ by less.
func momentAgo(at, now time.Time) bool { return now.Sub(at).Abs() < ConnectGrace }

// Spotlit says whether a host shows the person large to everybody.
func (s Seat) Spotlit() bool { return !s.SpotlitAt.IsZero() }

// Traceless says whether nothing has to be remembered of a seat that is given up: its
// holder was never in, hosts neither gave nor took anything, and its device was not
// disconnected for being late. Strangers can take seats and give them up as often as
// they like.
func (s Seat) Traceless() bool {
	return s.JoinedAt.IsZero() && s.Given == Given{} && s.Late == 0
}

// WaitLimit is how long a person waits at most (docs/reference/joining.md).
const WaitLimit = time.Hour

// WaitedOut says whether the time in which the person may wait is over. Their seat is
// closed some seconds later.
func (s Seat) WaitedOut(now time.Time) bool { return !now.Before(s.WaitingSince.Add(WaitLimit)) }

// Waits says whether the person waits in the line.
func (s Seat) Waits() bool { return s.Status == Waiting || s.Status == Early }

// networkKept is the network that is stored for a seat; "" when the seat counts
// neither as waiting nor as unused.
func (s Seat) networkKept() string {
	if s.Waits() || s.Status == LetThrough {
		return s.Network
	}
	return ""
}

// StillAdmitted says whether a host let the person in on this seat, and has not removed
// them since.
func (s Seat) StillAdmitted() bool { return s.Admitted && s.Status != Removed }

// here says whether a person who waits counts as being there: their device
// follows, or they asked a moment ago, perhaps again, and it may still begin to.
func (s Seat) here() bool { return s.AwayAt.IsZero() || s.AwayAt.Equal(s.LetThroughAt) }

// Answerable says whether a host's answer still reaches the person: they do not wait for
// a host to arrive, and their time is not over.
func (s Seat) Answerable(now time.Time) bool { return s.Status == Waiting && !s.WaitedOut(now) }

// Knocks says whether hosts see the person: a host can answer them, and their device is
// not gone.
func (s Seat) Knocks(now time.Time) bool { return s.Answerable(now) && s.here() }

// Ref names the person in an event.
func (s Seat) Ref() api.ParticipantRef {
	return api.ParticipantRef{Identity: s.Identity, Name: s.Name, Role: s.RoleNow()}
}

// ByArrival orders people by when they came in.
func ByArrival(a, b Seat) int {
	return cmp.Or(a.JoinedAt.Compare(b.JoinedAt), cmp.Compare(a.Identity, b.Identity))
}

// Same says whether a seat differs from its old state in nothing that streams or Syncs
// have to read: only in LetThroughAt, while Syncs read the seat already. Streams do not
// show this time, and Syncs allow for its change. Otherwise a person who connects again
// and again would keep every Sync from writing.
func (s Seat) Same(old Seat, now time.Time) bool {
	read := old.Status != LetThrough || now.Before(old.LetThroughAt.Add(unusedFor)) // otherwise no Sync read it
	old.LetThroughAt = s.LetThroughAt
	return read && s == old
}

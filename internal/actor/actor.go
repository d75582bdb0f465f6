package actor

import (
	"slices"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// An Actor directs a meeting: a key of the API, a member who is signed in, or a
// host in the meeting. All of them use the same functions, with the same events.
//
//	                       mute, remove   admit, deny      end    co-host, stage   settings, lock
//	key with the scope          x        if its creator     x     if its creator    (PATCH room)
//	                                     manages the room         manages the room
//	member who manages
//	the room, signed in         x              x            x           x                x
//	the room's own host         x              x            x           x                x
//	co-host                     x              x
//
// A co-host cannot remove the room's own hosts or send them to a breakout.
type Actor struct {
	Room room.Room
	Seat *seat.Seat // of a host in the meeting; nil for a key, and for a member who is signed in

	// Member is the member who is signed in, outside the meeting; the zero
	// Principal for a key and for a host in the meeting.
	Member auth.Principal

	// Lacks is the refusal of a key whose creator does not manage the room, when the
	// action needs that; otherwise nil. The action returns it only after it has found
	// everything that the path names: what does not exist is refused first.
	Lacks error
}

// Name is the actor's name as people see it; empty for a key.
func (a Actor) Name() string {
	if a.Seat != nil {
		return a.Seat.Name
	}
	return a.Member.Name
}

// Person is the participant id of the actor; empty for a key.
func (a Actor) Person() string {
	switch {
	case a.Seat != nil:
		return seat.Person(a.Seat.Identity)
	case a.Member.Session:
		return seat.UserPerson(a.Member.AccountID)
	default:
		return ""
	}
}

// Power is what an action needs of the actor.
type Power int

// What actions need.
const (
	Directs  Power = iota + 1 // any host or co-host; any key with the scope
	Owns                      // the room's own hosts; any key with the scope
	Admits                    // any host or co-host; a key whose creator manages the room
	Appoints                  // the room's own hosts; a key whose creator manages the room
)

// Cohost says whether the actor is a co-host.
func (a Actor) Cohost() bool { return a.Seat != nil && !a.Seat.OwnHost() }

// RefuseOwnHosts refuses a co-host who wants to remove or move one of the room's own hosts.
// Only own hosts and keys may do this.
func (a Actor) RefuseOwnHosts(seats []seat.Seat) error {
	if !a.Cohost() || !slices.ContainsFunc(seats, seat.Seat.OwnHost) {
		return nil
	}
	return ErrOwnHost()
}

// ErrOwnHost refuses a co-host who wants to remove or move an own host.
func ErrOwnHost() error {
	return fault.New(fault.Forbidden, api.CodeOwnHost,
		"This person is one of the room's own hosts. A co-host cannot remove them or move them to another room.")
}

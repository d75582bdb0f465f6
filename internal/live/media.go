package live

import (
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// A meeting has several media rooms: the main one, named like the room, and
// one for each breakout, named <room id>_<breakout id>. Ids are UUIDs, which
// have no underscore, so that the name of a media room leads back to its room.

// handRaised is the attribute at the media server that shows a raised hand to
// clients that do not speak our protocol, and by which they raise theirs.
const handRaised = "hand_raised"

// snapshot is what the media server showed of a room's media rooms, by breakout;
// "" is the main one.
type snapshot map[string]roomSnapshot

// roomSnapshot is what the media server showed of one media room.
type roomSnapshot struct {
	Generation string               // "" when there is no such media room
	People     map[string]seen      // those who hear or are heard
	Arriving   map[string]time.Time // identities that are connected with only their signalling, and since when
	Sessions   map[string]string    // the sessions of identities in People and Arriving
	Left       map[string]stay      // the last stays of identities that are gone, by the media server's hints
	Goodbyes   map[string]time.Time // when the gate heard the clients of identities say goodbye
}

// stay is a connection that has ended.
type stay struct {
	JoinedAt time.Time // by the media server's clock
	Goodbye  bool      // its client said goodbye
}

// find returns the connection of a seat and the breakout of its media room: where
// the device has to be, or else where it still is.
func (snap snapshot) find(held seat.Seat) (person seen, breakoutID string, connected bool) {
	if person, connected = snap[held.BreakoutID].People[held.Identity]; connected {
		return person, held.BreakoutID, true
	}
	for id, g := range snap {
		if person, connected = g.People[held.Identity]; connected {
			return person, id, true
		}
	}
	return seen{}, "", false
}

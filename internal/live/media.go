package live

import (
	"strings"
	"time"
)

// A meeting has several media rooms: the main one, named like the room, and
// one for each breakout, named <room id>_<breakout id>. Ids are UUIDs, which
// have no underscore, so that the name of a media room leads back to its room.

// breakoutMedia is the media room of a breakout as it is remembered.
type breakoutMedia struct {
	ID       string    // the breakout's
	ClosedAt time.Time // zero while the breakout is open
}

// MediaRoom is the name of a media room of a room: of a breakout, or with ""
// of the main room.
func MediaRoom(roomID, breakoutID string) string {
	if breakoutID == "" {
		return roomID
	}
	return roomID + "_" + breakoutID
}

// SplitMediaRoom tells of which room a media room is, and of which breakout.
func SplitMediaRoom(name string) (roomID, breakoutID string) {
	roomID, breakoutID, _ = strings.Cut(name, "_")
	return roomID, breakoutID
}

// MediaRoom is the media room where the seat's device has to be.
func (s Seat) MediaRoom() string { return MediaRoom(s.RoomID, s.BreakoutID) }

// moving says whether the seat's device is on its way to another media room:
// it was told where to go and was not seen there yet.
func (s Seat) moving() bool { return s.Status == In && s.Generation == "" }

// placed is a seat that belongs into another media room from now on. Whoever is
// sent on before they arrived gets no new time for it: the clocks run from the
// first of these moves, or moving on and on would be a way to stay.
func (s Seat) placed(breakoutID string, now time.Time) Seat {
	if !s.moving() {
		s.PlacedAt, s.MissingSince = now, time.Time{}
	}
	s.BreakoutID, s.Generation = breakoutID, ""
	return s
}

// handRaised is the attribute at the media server that shows a raised hand to
// clients that do not speak our protocol, and by which they raise theirs.
const handRaised = "hand_raised"

// look is what the media server showed of a room's media rooms, by breakout;
// "" is the main one.
type look map[string]glance

// glance is what the media server showed of one media room.
type glance struct {
	Generation string               // "" when there is no such media room
	People     map[string]seen      // those who hear or are heard
	Arriving   map[string]time.Time // identities that are connected with their signalling alone, and since when that is seen
	Left       map[string]bool      // identities the media server said are gone: true for those who said goodbye
}

// find gives the connection of a seat, where it has to be or else where it
// still is, and the breakout of that media room.
func (lk look) find(seat Seat) (person seen, breakoutID string, connected bool) {
	if person, connected = lk[seat.BreakoutID].People[seat.Identity]; connected {
		return person, seat.BreakoutID, true
	}
	for id, g := range lk {
		if person, connected = g.People[seat.Identity]; connected {
			return person, id, true
		}
	}
	return seen{}, "", false
}

// Arrived says whether the seat's device is connected where it has to be, as
// far as was seen.
func (s Seat) Arrived() bool { return s.Status == In && s.Generation != "" && s.MissingSince.IsZero() }

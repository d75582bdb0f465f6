package seat

import (
	"strings"
	"time"
)

// MediaRoom is the name of a media room: of a breakout, or with "" of the main
// room.
func MediaRoom(roomID, breakoutID string) string {
	if breakoutID == "" {
		return roomID
	}
	return roomID + "_" + breakoutID
}

// SplitMediaRoom returns the room and the breakout of a media room.
func SplitMediaRoom(name string) (roomID, breakoutID string) {
	roomID, breakoutID, _ = strings.Cut(name, "_")
	return roomID, breakoutID
}

// MediaRoom is the media room where the seat's device has to be.
func (s Seat) MediaRoom() string { return MediaRoom(s.RoomID, s.BreakoutID) }

// Moving says whether the seat's device is on its way to another media room: it
// was sent there and was not seen there yet.
func (s Seat) Moving() bool { return s.Status == In && s.Generation == "" }

// Placed is the seat when its device belongs in another media room from now on.
// A device that is sent on before it arrived gets no more time. The time runs from
// the first move, so that repeated moves cannot extend it.
func (s Seat) Placed(breakoutID string, now time.Time) Seat {
	if !s.Moving() {
		s.PlacedAt, s.MissingSince = now, time.Time{}
	}
	s.BreakoutID, s.Generation = breakoutID, ""
	return s
}

// Arrived says whether the seat's device was seen where it has to be.
func (s Seat) Arrived() bool { return s.Status == In && s.Generation != "" && s.MissingSince.IsZero() }

// Listens says whether the seat's device can follow the stream of events, and so
// can be moved.
func (s Seat) Listens() bool { return s.TicketHash != "" }

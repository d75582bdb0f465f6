package breakout

import (
	"fmt"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/schema"
)

// Status is where a session is in its life; doc.go draws it.
type Status string

// The statuses.
const (
	Open    Status = "open"
	Closing Status = "closing"
	Ended   Status = "ended"
)

// The limits (docs/reference/breakouts.md).
const (
	// mostRooms is how many rooms a session has at most.
	mostRooms = 50
	// countdown is how long people are warned before the rooms close.
	countdown = 60 * time.Second
	// longest is how long a session lasts if nobody ends it.
	longest = 24 * time.Hour
	// historyLength is how many sessions that are over are shown.
	historyLength = 10
)

// Session is one splitting of a meeting.
type Session struct {
	ID          string
	RoomID      string
	WorkspaceID string
	Status      Status
	AutoJoin    bool // people are moved without being asked
	AllowReturn bool // people may return to the main room by themselves
	SelfSelect  bool // people choose their room
	Duration    *int // seconds
	StartedBy   string
	StartedAt   time.Time
	EndsAt      time.Time // zero: when somebody ends it
	ClosedAt    time.Time // zero while it runs
	Rooms       []Room
	Placements  []Placement // of people who were placed
}

// Room is one room of a session.
type Room struct {
	ID       string
	Name     string
	Position int
}

// Placement is what was decided about a person in a session: where they belong.
// An attendee is a person as they are in the meeting, placed or not.
type Placement struct {
	Person     string // participant id
	Name       string
	BreakoutID string // "" is the main room
	Belongs    bool   // their devices belong there; otherwise they were asked to go, or have returned
	CanReturn  bool
}

// apiStarted is who started a session that a key of the API started.
const apiStarted = "api"

// newSession makes a session from a request.
func newSession(c api.BreakoutCreate, now time.Time) Session {
	s := Session{
		Status: Open, AutoJoin: c.AutoJoin.Value, AllowReturn: c.AllowReturn.Value,
		SelfSelect: c.SelfSelect.Value || c.Assign.Value == assignNone, Duration: c.DurationSeconds.Ptr(), StartedAt: now,
	}
	if s.Duration != nil {
		s.EndsAt = now.Add(time.Duration(*s.Duration) * time.Second)
	}
	names := c.Rooms.List
	if names == nil {
		names = make([]string, c.Rooms.Count)
	}
	for i, name := range names {
		s.Rooms = append(s.Rooms, Room{Name: orNumbered(name, i), Position: i})
	}
	return s
}

// orNumbered names a room after its place if it has no name, or one that does not show.
func orNumbered(name string, position int) string {
	if schema.PersonName(name) == "" {
		return fmt.Sprintf("Room %d", position+1)
	}
	return name
}

// nextPosition is the position of another room: after the last.
func (s Session) nextPosition() int {
	next := 0
	for _, r := range s.Rooms {
		next = max(next, r.Position+1)
	}
	return next
}

// deadline is when the session ends by itself.
func (s Session) deadline() time.Time {
	if last := s.StartedAt.Add(longest); s.EndsAt.IsZero() || last.Before(s.EndsAt) {
		return last
	}
	return s.EndsAt
}

// warned is the session after people were warned of its end. Another warning
// changes nothing.
func (s Session) warned(now time.Time) Session {
	if s.Status != Open {
		return s
	}
	s.Status = Closing
	if end := now.Add(countdown); end.Before(s.deadline()) {
		s.EndsAt = end
	} else {
		s.EndsAt = s.deadline()
	}
	return s
}

// room finds a room of the session.
func (s Session) room(breakoutID string) (Room, bool) {
	i := slices.IndexFunc(s.Rooms, func(r Room) bool { return r.ID == breakoutID })
	if i < 0 {
		return Room{}, false
	}
	return s.Rooms[i], true
}

// placement finds what the session knows of a person.
func (s Session) placement(person string) (Placement, bool) {
	i := slices.IndexFunc(s.Placements, func(p Placement) bool { return p.Person == person })
	if i < 0 {
		return Placement{}, false
	}
	return s.Placements[i], true
}

// with is the session with a person's place changed.
func (s Session) with(p Placement) Session {
	s.Placements = append(slices.DeleteFunc(slices.Clone(s.Placements), func(other Placement) bool { return other.Person == p.Person }), p)
	return s
}

// move is the result of a person's request to be in a breakout.
type move int

const (
	refused move = iota // they may not enter it
	enters              // it is their room
	chooses             // it becomes their room
	visits              // they visit, and it does not become their room
)

// mayJoin says what happens when a person asks to be in a room of the session.
func (s Session) mayJoin(personID string, host bool, breakoutID string) move {
	p, known := s.placement(personID)
	switch {
	case known && p.BreakoutID == breakoutID:
		return enters
	case host:
		return visits
	case s.SelfSelect:
		return chooses
	default:
		return refused
	}
}

// mayReturn says whether a person may go to the main room by themselves. A person
// who was never placed may.
func (s Session) mayReturn(personID string, host bool) bool {
	p, known := s.placement(personID)
	return host || !known || p.BreakoutID == "" || p.CanReturn
}

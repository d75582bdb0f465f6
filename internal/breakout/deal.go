package breakout

import (
	"fmt"
	"slices"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// People get their rooms when a session opens.
const (
	assignAuto   = "auto"
	assignManual = "manual"
	assignNone   = "none"
)

// attendee is a person in the meeting, with all their devices.
type attendee struct {
	ID      string // participant id
	Name    string
	Host    bool
	OwnHost bool // one of the room's own hosts, rather than a co-host
	In      bool // on at least one device; otherwise they lost the connection and may come back
	Listens bool // a device can be moved: one that is in or, if none is in, one that may come back
	Places  []string
	Devices []string // identities
	present map[string]bool
}

// attendees groups the seats of people who are in or may come back by person, in
// the order in which they came.
func attendees(seats []seat.Seat) []attendee {
	var people []attendee
	at := map[string]int{}
	for _, held := range seats {
		id := seat.Person(held.Identity)
		i, known := at[id]
		if !known {
			i, at[id] = len(people), len(people)
			people = append(people, attendee{ID: id, Name: held.Name, present: map[string]bool{}})
		}
		p := &people[i]
		p.Host = p.Host || held.RoleNow() == api.RoleHost
		p.OwnHost = p.OwnHost || held.OwnHost()
		p.Devices = append(p.Devices, held.Identity)
		p.Places = append(p.Places, held.BreakoutID)
		in := held.Status == seat.In
		switch {
		case in && !p.In:
			p.In, p.Listens = true, held.Listens()
		case in == p.In:
			p.Listens = p.Listens || held.Listens()
		}
		if in {
			p.Name = held.Name
			p.present[held.BreakoutID] = p.present[held.BreakoutID] || held.Arrived()
		}
	}
	return people
}

// find looks for a person by their participant id or the identity of one of
// their connections.
func find(people []attendee, name string) (attendee, bool) {
	i := slices.IndexFunc(people, func(p attendee) bool { return p.ID == name || slices.Contains(p.Devices, name) })
	if i < 0 {
		return attendee{}, false
	}
	return people[i], true
}

// checkPlacements refuses placements that are wrong in any meeting.
func checkPlacements(c api.BreakoutCreate) error {
	if c.Assign.Value != assignManual && len(c.Placements) > 0 {
		return fault.BadParameter("placements", "placements are for assign manual only.")
	}
	rooms := c.Rooms.Count
	if c.Rooms.List != nil {
		rooms = len(c.Rooms.List)
	}
	var wrong []fault.Field
	for i, p := range c.Placements {
		if p.Room >= rooms {
			param := fmt.Sprintf("placements[%d].room", i)
			wrong = append(wrong, fault.Field{
				Param: param, Code: api.CodeParameterInvalid, Message: fmt.Sprintf("%s must be 0 to %d: there are %d rooms, counted from 0.", param, rooms-1, rooms),
			})
		}
	}
	if len(wrong) > 0 {
		return fault.Parameters(wrong)
	}
	return nil
}

// dealtBy returns the people that an actor may deal out. A co-host does not deal
// out the room's own hosts, and may not place one by name.
func dealtBy(by actor.Actor, c api.BreakoutCreate, people []attendee) ([]attendee, error) {
	if !by.Cohost() {
		return people, nil
	}
	for _, placement := range c.Placements {
		if p, ok := find(people, placement.Participant); ok && p.OwnHost {
			return nil, actor.ErrOwnHost()
		}
	}
	return slices.DeleteFunc(slices.Clone(people), func(p attendee) bool { return p.OwnHost }), nil
}

// deal returns the room of each person who gets one when the session opens, by the
// room's place in the session. People whose devices cannot be moved stay where
// they are. shuffle is a source of chance, such as rand.Shuffle.
func deal(c api.BreakoutCreate, rooms int, people []attendee, shuffle func(n int, swap func(i, j int))) map[string]int {
	out := map[string]int{}
	switch c.Assign.Value {
	case assignAuto:
		var dealt []string
		for _, p := range people {
			if p.In && p.Listens && (!p.Host || c.IncludeHosts.Value) {
				dealt = append(dealt, p.ID)
			}
		}
		shuffle(len(dealt), func(i, j int) { dealt[i], dealt[j] = dealt[j], dealt[i] })
		for i, id := range dealt {
			out[id] = i % rooms // the sizes differ by one at most
		}
	case assignManual:
		for _, placement := range c.Placements {
			// The later of two placements of one person counts.
			if p, ok := find(people, placement.Participant); ok && p.In && p.Listens {
				out[p.ID] = placement.Room
			}
		}
	}
	return out
}

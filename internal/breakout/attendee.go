package breakout

import (
	"slices"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/seat"
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

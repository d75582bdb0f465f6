package breakout

import (
	"fmt"
	"slices"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// People get their rooms when a session opens.
const (
	assignAuto   = "auto"
	assignManual = "manual"
	assignNone   = "none"
)

// checkPlacements refuses placements that are wrong in any meeting.
func checkPlacements(c api.BreakoutCreate) error {
	if c.Assign.Value != assignManual && c.Placements != nil {
		return fault.BadParameter("placements", "placements are for assign manual only.")
	}
	rooms := c.Rooms.Count
	if c.Rooms.List != nil {
		rooms = len(c.Rooms.List)
	}
	return checkPlaces(c.Placements, rooms)
}

// checkPlaces refuses placements into rooms that do not exist.
func checkPlaces(placements []api.BreakoutPlacement, rooms int) error {
	var wrong []fault.Field
	for i, p := range placements {
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

// checkOthers is checkPlacements for a request in which other fields are wrong.
func checkOthers(c api.BreakoutCreate, wrong func(param string) bool) error {
	if wrong("rooms") && c.Rooms.List == nil { // then nobody knows how many rooms there will be
		c.Rooms = api.CountOrList[string]{Count: mostRooms}
	}
	if wrong("assign") {
		c.Assign = api.Set(assignManual)
	}
	return checkPlacements(c)
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

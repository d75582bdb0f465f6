package group

import (
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// turnFor is how long a turn is. When a group has ended, only the devices that groups left
// out most often may make the next one; after a turn, those with the next lower count may
// too, and so on. A turn ends, because its devices may not be able to make a group.
const turnFor = 10 * time.Second

// countPassed notes that a group has ended. Each device here that the group left out gets one
// more count. A device that made it, or was in it and did not refuse it, starts at zero.
// Devices with the highest count make the next group first, so devices that make useless
// groups come last, even if they take turns.
func (s *scene) countPassed() {
	for identity, d := range s.devices {
		switch {
		case s.leftOut(identity, *d):
			if s.here[identity] {
				d.Passed++
			}
		case d.AddedSeq != 0:
			d.Passed = 0
		}
	}
}

// leftOut says whether a device refuses the group, or waits and has never been in it. The
// devices of the person who made the group never count as left out. Otherwise that person
// could refuse each of their groups, or let their devices wait outside it, and have the next
// turn.
func (s *scene) leftOut(identity string, d device) bool {
	switch {
	case s.Founder != "" && seat.Person(identity) == seat.Person(s.Founder):
		return false
	case d.AddedSeq == 0:
		return d.waits() || d.refuses(s.GroupID, s.now)
	default:
		return d.refuses(s.GroupID, s.now)
	}
}

// waits says whether the device waits to be added.
func (d device) waits() bool { return !d.Added && d.KeyPackage != "" }

// comesLater says whether a device must leave the next group to somebody else: a device of
// another person is here that was left out of more groups and may make it, and its turn is
// not over. That device need not wait to be added yet, because a device that refused a group
// sends its key package after a pause. Each count has a turn of its own; otherwise somebody
// with the highest count who makes no group would use up the time of everybody behind. But
// each person has one turn at most, so that somebody with many devices cannot keep the
// others waiting.
func (s *scene) comesLater(identity string) bool {
	passed := 0
	if d := s.devices[identity]; d != nil {
		passed = d.Passed
	}
	before := map[string]int{} // by person, the number of the device that comes first
	for other := range s.here {
		d, person := s.devices[other], seat.Person(other)
		if d == nil || d.Passed <= passed || person == seat.Person(identity) || s.bars(other) {
			continue
		}
		before[person] = max(before[person], d.Passed)
	}
	turns := map[int]bool{}
	for _, number := range before {
		turns[number] = true
	}
	since := s.now.Sub(s.EndedAt)
	return since < time.Duration(len(turns))*turnFor && since > -turnFor
}

// ofPerson returns all devices here of the person who has this one. When one of them makes
// a group, the counts of all start at zero. Otherwise somebody with many devices could make
// a group with each.
func (s *scene) ofPerson(identity string) []string {
	var all []string
	for other := range s.devices {
		if seat.Person(other) == seat.Person(identity) {
			all = append(all, other)
		}
	}
	return all
}

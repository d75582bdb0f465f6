package group

import (
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// turnFor is how long, after a group ended, those that groups have left out most often may
// make the next one before others, then those that come next, and so on. A turn ends, because
// they may not be able to.
const turnFor = 10 * time.Second

// countPassed counts the group that ends as one more that left out the devices here. One that
// made it, or has been in it and has not refused it, begins anew. So devices that make groups
// of no use come behind those that cannot be in them, also when they take turns, and those
// that stay in a group that most people refuse come behind those people.
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
// group does not leave out the person who made it, who could refuse each group, or have each
// of their devices wait in vain for the others.
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

// comesLater says whether a device must leave the next group to somebody else: the turn of
// those that were left out of more groups is not over, and one of another person is here
// which may make it. That device need not wait yet, because one that refused a group sends
// its key package after a pause. Each number has a turn, or somebody who is ahead of all and
// makes no group would give the last of them the same time as the others. But each person
// has one turn at most, or somebody with many devices could keep the others waiting.
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

// ofPerson is all devices here of the person whose device this is. When one of them makes a
// group, all begin anew, or somebody with many devices could make a group with each.
func (s *scene) ofPerson(identity string) []string {
	var all []string
	for other := range s.devices {
		if seat.Person(other) == seat.Person(identity) {
			all = append(all, other)
		}
	}
	return all
}

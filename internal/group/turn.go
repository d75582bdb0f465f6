package group

import (
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// turnFor is how long, after a group ended, those that it left out may make the
// next one before others. It ends, because they may not be able to.
const turnFor = 10 * time.Second

// countPassed counts the group that ends as one more that left out the devices here. One that
// made it, or has been in it and has not refused it, begins anew. So devices that make groups
// of no use come behind those that cannot be in them, also when they take turns.
func (s *scene) countPassed() {
	for identity, d := range s.devices {
		switch {
		case s.leftOut(*d):
			if s.here[identity] {
				d.Passed++
			}
		case d.AddedSeq != 0:
			d.Passed = 0
		}
	}
}

// leftOut says whether a device refuses the group, or waits and has never been in it. The
// group does not leave out its founder, which could refuse each group that it makes.
func (s *scene) leftOut(d device) bool {
	switch d.AddedSeq {
	case 0:
		return d.waits() || d.refuses(s.GroupID, s.now)
	case s.FoundedSeq:
		return false
	default:
		return d.refuses(s.GroupID, s.now)
	}
}

// waits says whether the device waits to be added.
func (d device) waits() bool { return !d.Added && d.KeyPackage != "" }

// comesLater says whether a device must leave the next group to somebody else: another
// person is here who may make it, and was left out of more groups. Their device need
// not wait yet, because one that refused a group sends its key package after a pause.
func (s *scene) comesLater(identity string) bool {
	if since := s.now.Sub(s.EndedAt); since >= turnFor || since < -turnFor {
		return false
	}
	passed := 0
	if d := s.devices[identity]; d != nil {
		passed = d.Passed
	}
	for other := range s.here {
		d := s.devices[other]
		if d == nil || d.Passed <= passed || seat.Person(other) == seat.Person(identity) {
			continue
		}
		if !s.bars(other, barFounding, barJoining) {
			return true
		}
	}
	return false
}

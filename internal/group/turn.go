package group

import (
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// turnFor is how long, after a group ended, those who have waited longest may make the
// next one before others. It ends, because they may not be able to.
const turnFor = 10 * time.Second

// countPassed counts the group that ends as one that the devices here have waited in
// vain for. A device that has been in it did not, so making one group after the other
// and adding nobody brings a device behind those that it does not add.
func (s *scene) countPassed() {
	for identity := range s.here {
		if d := s.devices[identity]; d != nil && d.waits() && d.AddedSeq == 0 {
			d.Passed++
		}
	}
}

// waits says whether the device waits to be added.
func (d device) waits() bool { return !d.Added && d.KeyPackage != "" }

// comesLater says whether a device must leave the next group to somebody else: another
// person waits here who may make it, and has waited through more groups.
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
		if d == nil || !d.waits() || d.Passed <= passed || seat.Person(other) == seat.Person(identity) {
			continue
		}
		if !s.bars(other, barFounding, barJoining) {
			return true
		}
	}
	return false
}

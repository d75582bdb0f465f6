package group

import (
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// refusalFor is how long a refusal of a device still counts once the device is added again.
const refusalFor = time.Minute

// bar names what a device must leave to the others after it caused a refusal.
type bar string

const (
	barNone     bar = ""
	barFounding bar = "founding" // it may not make a group
	barJoining  bar = "joining"  // nor is it shown to those who could add it
)

// refuse notes that a device cannot be in the group: it is not a member, and does not wait
// until it sends a key package. The author, if there is one, sent what the device
// could not take.
func (s *scene) refuse(identity, author string) {
	d := s.devices[identity]
	d.Added, d.AddedSeq, d.KeyPackage, d.Hash = false, 0, "", ""
	d.RefusedGroup, d.RefusedAuthor = s.GroupID, author
	if author == identity {
		d.RefusedAuthor = "" // nobody else is to blame
	}
	if one := s.devices[author]; one != nil && author != identity && s.mostRefuse(author) {
		one.Barred = barJoining
	}
}

// refuses says whether the device cannot be in a group, as far as it has said so and
// has not been in it again since.
func (d device) refuses(groupID string, now time.Time) bool {
	return groupID != "" && d.RefusedGroup == groupID && !d.regained(now)
}

// regained says whether the device has been in the group for refusalFor, so that what it
// refused before stops counting, or the refusals of a long meeting would add up. Being
// added alone is no proof: whoever added it may have sent it a welcome of no use. A
// refusal does not count for longer when the clock is set back.
func (d device) regained(now time.Time) bool {
	since := now.Sub(d.AddedAt)
	return d.Added && (since >= refusalFor || since < -refusalFor)
}

// out is the device after its membership ended. A refusal that has stopped counting does
// not count again.
func (d device) out(now time.Time) device {
	if d.regained(now) {
		d.RefusedGroup, d.RefusedAuthor = "", ""
	}
	d.Added, d.AddedSeq = false, 0
	return d
}

// unwanted says whether most of the people here cannot be in the group, because of one
// author or of none, so that the others must not keep them from making another. Refusals
// that blame different authors do not add up: somebody who disturbs one person could
// otherwise turn that against anybody, by refusing what that one sends.
func (s *scene) unwanted() bool {
	asked := map[string]bool{}
	for identity := range s.here {
		d := s.devices[identity]
		if d == nil || !d.refuses(s.GroupID, s.now) || asked[d.RefusedAuthor] {
			continue
		}
		asked[d.RefusedAuthor] = true
		if s.mostRefuse(d.RefusedAuthor) {
			return true
		}
	}
	return false
}

// mostRefuse says whether most of the people here refuse the group because of this
// author's messages. A refusal for which no author is known counts, too, and none of the
// author's own does. All devices of a person count as one, and as one that can be in the
// group if any of them can. Devices that are not added to groups count for nothing.
func (s *scene) mostRefuse(author string) bool {
	cannot := map[string]bool{}
	for identity := range s.here {
		if s.bars(identity, barJoining) {
			continue
		}
		d, person := s.devices[identity], seat.Person(identity)
		refuses := d != nil && d.refuses(s.GroupID, s.now) && d.blames(author)
		before, seen := cannot[person]
		cannot[person] = refuses && (before || !seen)
	}
	refusing := 0
	for _, refuses := range cannot {
		if refuses {
			refusing++
		}
	}
	return 2*refusing > len(cannot)
}

// blames says whether the refusal of a device counts against an author.
func (d device) blames(author string) bool {
	by := seat.Person(author)
	return seat.Person(d.Identity) != by && (d.RefusedAuthor == "" || seat.Person(d.RefusedAuthor) == by)
}

// bars reports whether a device must leave something to others: it is barred from it,
// and another device here is not.
func (s *scene) bars(identity string, from ...bar) bool {
	barred := func(one string) bool {
		d := s.devices[one]
		return d != nil && slices.Contains(from, d.Barred)
	}
	if !barred(identity) {
		return false
	}
	for other := range s.here {
		if !barred(other) {
			return true
		}
	}
	return false
}

package group

import (
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// refusalFor is how long a refusal of a device still counts once the device is added again.
const refusalFor = time.Minute

// bar names what a device must leave to the others after it caused a refusal. Nodes of the
// previous version also store "founding", which has no effect any more.
type bar string

const (
	barNone    bar = ""
	barJoining bar = "joining" // it makes no group, and is not shown to those who could add it
)

// refuse notes that a device cannot be in the group: it is not a member, and does not wait
// until it sends a key package. The author, if there is one, sent what the device
// could not take.
func (s *scene) refuse(identity, author string) {
	d := s.devices[identity]
	d.Added, d.KeyPackage, d.Hash = false, "", ""
	d.RefusedGroup, d.RefusedAuthor = s.GroupID, author
	if author == identity {
		d.RefusedAuthor = "" // nobody else is to blame
	}
	s.barBlamed()
}

// barBlamed bars the authors whose messages most people refuse, be it because of one more
// refusal, or because somebody left.
func (s *scene) barBlamed() {
	r := s.refusals()
	for identity := range s.here {
		d := s.devices[identity]
		if d == nil || !d.refuses(s.GroupID, s.now) || seat.Person(d.RefusedAuthor) == seat.Person(identity) {
			continue
		}
		if author := s.devices[d.RefusedAuthor]; author != nil && r.mostBlame(d.RefusedAuthor) {
			author.Barred = barJoining
		}
	}
}

// refuses says whether the device cannot be in a group, as far as it has said so and
// has not been in it again since.
func (d device) refuses(groupID string, now time.Time) bool {
	return groupID != "" && d.RefusedGroup == groupID && !d.regained(now)
}

// regained says whether the device has been in the group for refusalFor. Its earlier
// refusal then stops counting, so that the refusals of a long meeting do not add up.
// Being added alone proves nothing, because the welcome may have been useless. If the
// clock is set back, a refusal does not count for much longer.
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
	d.Added = false // AddedSeq still says that it has been in this group
	return d
}

// unwanted says whether most of the people here cannot be in the group, so that the others
// must not keep them from making another.
func (s *scene) unwanted() bool { return s.refusals().areMost() }

// refusals is what the people here refuse. All devices of a person count as one, which
// can be in the group if any of them can. Devices that are not added to groups count
// for nothing.
type refusals struct {
	people int
	// blames has, for each person who cannot be in the group, the authors that they blame.
	// "" stands for no author: the device refused no message, or one of its own person.
	blames map[string]map[string]bool
	blamed map[string]int // how many people blame a person, or nobody
}

func (s *scene) refusals() refusals {
	r := refusals{blames: map[string]map[string]bool{}, blamed: map[string]int{}}
	people, can := map[string]bool{}, map[string]bool{}
	for identity := range s.here {
		if s.bars(identity) {
			continue
		}
		d, person := s.devices[identity], seat.Person(identity)
		people[person] = true
		if d == nil || !d.refuses(s.GroupID, s.now) {
			can[person] = true
			continue
		}
		author := seat.Person(d.RefusedAuthor)
		if author == person {
			author = ""
		}
		if r.blames[person] == nil {
			r.blames[person] = map[string]bool{}
		}
		r.blames[person][author] = true
	}
	for person := range can {
		delete(r.blames, person)
	}
	for _, authors := range r.blames {
		for author := range authors {
			r.blamed[author]++
		}
	}
	r.people = len(people)
	return r
}

// areMost says whether most people refuse. A refusal counts only if more people blame its
// author than blame the person who refuses. Otherwise somebody who disturbs one person
// could end the group by refusing what a third person sends.
func (r refusals) areMost() bool {
	most := 0
	for person, authors := range r.blames {
		for author := range authors {
			if r.blamed[author] > r.blamed[person] {
				most++
				break
			}
		}
	}
	return 2*most > r.people
}

// mostBlame says whether most people refuse messages of this author. Refusals of no
// message do not count, because anybody may have caused them.
func (r refusals) mostBlame(author string) bool {
	return 2*r.blamed[seat.Person(author)] > r.people
}

// bars reports whether a device must leave the group to others: it is barred, and another
// device here is not.
func (s *scene) bars(identity string) bool {
	barred := func(one string) bool {
		d := s.devices[one]
		return d != nil && d.Barred == barJoining
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

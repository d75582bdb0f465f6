package group

import (
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// place is the group of one media room.
type place struct {
	RoomID     string
	BreakoutID string // "" is the main room
	GroupID    string // "" when it has no group
	Epoch      int64
	FoundedSeq int64
	Founder    string // the identity of the device that made the group
	Seq        int64
	EndedAt    time.Time // when its last group ended; zero when none has
}

// entry is a commit in the log of a place.
type entry struct {
	Seq     int64
	Epoch   int64
	Message string
	Welcome string
	Author  string // the identity of the device that made it
	MadeAt  time.Time
	Said    said
}

// said is what the author of a commit says of it. The service cannot read commits, so the
// devices compare.
type said struct {
	Check   string // a digest of the secrets of the epoch to which the commit leads
	Link    string // a digest of the link secret; "" when the group has none
	Adds    []addition
	Removes []string
}

// proposal is a commit that a device sends.
type proposal struct {
	GroupID string
	Epoch   int64
	Message string
	Welcome string
	Said    said
}

// scene is a place with the devices in it, as one transaction sees it.
type scene struct {
	place

	devices map[string]*device // by identity; those that belong there
	here    map[string]bool    // who is present
	now     time.Time
}

// isMember says whether a device is in the group: it was added, and is present.
func (s *scene) isMember(identity string) bool {
	d := s.devices[identity]
	return d != nil && d.Added && s.here[identity]
}

// over says whether the group has no member any more, or most people cannot be in it.
func (s *scene) over() bool {
	if s.GroupID == "" {
		return false
	}
	if s.unwanted() {
		return true
	}
	for identity := range s.devices {
		if s.isMember(identity) {
			return false
		}
	}
	return true
}

// end is the place after its group is over.
func (s *scene) end() {
	if s.unwanted() {
		s.barBlamed()
	}
	s.countPassed()
	s.GroupID, s.Epoch, s.Seq = "", 0, s.Seq+1
	s.FoundedSeq, s.Founder, s.EndedAt = s.Seq, "", s.now
	for _, d := range s.devices {
		d.Added, d.AddedSeq = false, 0
	}
}

// create makes a group with its founder as the only member. done says that the device
// repeats the request that made the group.
func (s *scene) create(identity, groupID string) (done bool, err error) {
	d := s.devices[identity]
	switch {
	case s.GroupID == groupID && s.Epoch == 0 && d != nil && d.Added:
		return true, nil
	case s.GroupID != "":
		return false, fault.Conflicting(api.CodeGroupExists, "This media room has a group already. Wait to be added to it.")
	case s.bars(identity), s.comesLater(identity):
		return false, notInGroup()
	}
	s.Seq++
	s.GroupID, s.Epoch, s.FoundedSeq, s.Founder = groupID, 0, s.Seq, identity
	*d = d.joined(s.Seq, s.now)
	for _, one := range s.ofPerson(identity) {
		s.devices[one].Passed = 0
	}
	return false, nil
}

// joined is the device after it became a member.
func (d device) joined(seq int64, now time.Time) device {
	d.Added, d.AddedSeq, d.AddedAt, d.KeyPackage, d.Hash = true, seq, now, "", ""
	return d
}

// commit takes a commit of a device, if it is the first one in its epoch.
func (s *scene) commit(identity string, c proposal) (entry, error) {
	if err := s.checkCommit(identity, c); err != nil {
		return entry{}, err
	}
	s.Epoch++
	s.Seq++
	for _, one := range c.Said.Removes {
		if d := s.devices[one]; d != nil {
			*d = d.out(s.now)
		}
	}
	for _, one := range c.Said.Adds {
		// A device that sent another key package meanwhile goes on waiting with it.
		if d := s.devices[one.Identity]; d != nil && d.KeyPackage != "" && d.Hash == one.KeyPackage {
			*d = d.joined(s.Seq, s.now)
		}
	}
	return entry{Seq: s.Seq, Epoch: c.Epoch, Message: c.Message, Welcome: c.Welcome, Author: identity, MadeAt: s.now, Said: c.Said}, nil
}

// checkCommit refuses a commit that comes too late, that is not a member's, or that removes
// a member who is there.
func (s *scene) checkCommit(identity string, c proposal) error {
	if s.GroupID != c.GroupID || s.Epoch != c.Epoch {
		return fault.Conflicting(api.CodeEpochTaken, "The group is in another epoch. Read its messages, then work out again what has to change.")
	}
	if !s.isMember(identity) {
		return notInGroup()
	}
	for _, one := range c.Said.Removes {
		if s.isMember(one) {
			return fault.Conflicting(api.CodePlaceChanged, "A device that the commit removes is in this media room. Read the list of devices again.")
		}
	}
	return nil
}

func notInGroup() error {
	return fault.New(fault.Forbidden, api.CodeNotInGroup, "This device is not in the group. Send a new key package to be added.")
}

// unread returns the number from which a member goes on reading when it has read the
// messages up to after. No message may have that number yet.
func (s *scene) unread(identity, groupID string, after int64) (int64, error) {
	d := s.devices[identity]
	if s.GroupID == "" || s.GroupID != groupID || d == nil || !d.Added {
		return 0, fault.Missing()
	}
	return max(after+1, d.AddedSeq, s.FoundedSeq+1), nil
}

package group

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// waitingScene is a place where these devices wait and there is no group yet.
func waitingScene(identities ...string) scene {
	s := scene{devices: map[string]*device{}, here: map[string]bool{}, now: noon}
	for _, identity := range identities {
		s.comes(identity)
	}
	return s
}

func (s *scene) comes(identity string) {
	s.devices[identity] = &device{Identity: identity}
	s.here[identity] = true
	s.asks(identity)
}

// asks is what Announce does to the device, and to a group that has no member then.
func (s *scene) asks(identity string) {
	d := s.devices[identity]
	*d = d.out(s.now)
	d.KeyPackage, d.Hash = "kp", "hash of "+identity
	if s.over() {
		s.end()
	}
}

func (s *scene) mustCreate(t *testing.T, identity string) {
	t.Helper()
	if _, err := s.create(identity, fmt.Sprintf("group %d", s.Seq)); err != nil {
		t.Fatalf("%s makes a group: %v", identity, err)
	}
}

// mayCreate asks without making a group.
func (s *scene) mayCreate(identity string) bool {
	asked := *s
	asked.devices = map[string]*device{}
	for one, d := range s.devices {
		copied := *d
		asked.devices[one] = &copied
	}
	_, err := asked.create(identity, "g")
	return !fault.HasCode(err, api.CodeNotInGroup)
}

// A device that makes a group, adds nobody and ends it leaves the next one to those that
// waited.
func TestADeviceThatAddsNobodyLeavesTheNextGroupToOthers(t *testing.T) {
	t.Parallel()
	s := waitingScene("guest_m.1", "guest_a.1", "guest_b.1")
	s.mustCreate(t, "guest_m.1")
	s.asks("guest_m.1") // ends the group
	if s.GroupID != "" {
		t.Fatal("the group goes on")
	}
	for identity, want := range map[string]bool{"guest_m.1": false, "guest_a.1": true, "guest_b.1": true} {
		if got := s.mayCreate(identity); got != want {
			t.Errorf("%s may make the next group: %v", identity, got)
		}
	}
	// After a while it may, because the others seem unable to.
	s.now = noon.Add(10*time.Second - time.Millisecond)
	if s.mayCreate("guest_m.1") {
		t.Error("it may make a group just before ten seconds are over")
	}
	s.now = noon.Add(10 * time.Second)
	if !s.mayCreate("guest_m.1") {
		t.Error("it may not make a group after ten seconds")
	}
	s.now = noon.Add(-time.Hour) // the clock was set back
	if !s.mayCreate("guest_m.1") {
		t.Error("it may not make a group for as long as the clock was set back")
	}
}

// Devices that take turns in making groups, and add nobody to them, come behind all
// other devices. Devices that join them later come behind, too.
func TestDevicesThatTakeTurnsInAddingNobodyComeLater(t *testing.T) {
	t.Parallel()
	s := waitingScene("guest_m.1", "guest_n.1", "guest_a.1")
	for _, founder := range []string{"guest_m.1", "guest_n.1"} {
		s.mustCreate(t, founder)
		s.asks(founder)
	}
	s.comes("guest_o.1")
	for identity, want := range map[string]bool{"guest_m.1": false, "guest_n.1": false, "guest_o.1": false, "guest_a.1": true} {
		if got := s.mayCreate(identity); got != want {
			t.Errorf("%s may make the next group: %v", identity, got)
		}
	}
	// Once a device has made a group, or has been in one, its count starts at zero again.
	s.mustCreate(t, "guest_a.1")
	s.devices["guest_o.1"].Passed = 2
	s.adds(t, "guest_a.1", "guest_o.1")
	s.asks("guest_o.1")
	s.asks("guest_a.1")
	for _, identity := range []string{"guest_a.1", "guest_o.1"} {
		if got := s.devices[identity].Passed; got != 0 {
			t.Errorf("groups have left out %s %d times", identity, got)
		}
	}
}

// A device that is alone, or with devices that do not wait or may not make a group, makes one.
func TestADeviceThatNobodyWaitsForMakesAGroup(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		other func(s *scene)
		want  bool
	}{
		{"nobody else is here", func(*scene) {}, true},
		{"somebody is not connected yet", func(s *scene) { s.comes("guest_b.1"); delete(s.here, "guest_b.1") }, true},
		{"somebody has sent no key package", func(s *scene) { s.comes("guest_b.1"); s.devices["guest_b.1"].KeyPackage = "" }, true},
		{"somebody waits", func(s *scene) { s.comes("guest_b.1") }, false},
		{"another device of the person waits", func(s *scene) { s.comes("guest_a.2") }, true},
		{"somebody waits who was barred by an older version", func(s *scene) { s.comes("guest_b.1"); s.devices["guest_b.1"].Barred = "founding" }, false},
		{"somebody waits who may not make a group", func(s *scene) { s.comes("guest_b.1"); s.devices["guest_b.1"].Barred = barJoining }, true},
		{"somebody waited and has left", func(s *scene) {
			s.comes("guest_b.1")
			s.asks("guest_a.1")
			delete(s.devices, "guest_b.1")
			delete(s.here, "guest_b.1")
		}, true},
	} {
		s := waitingScene("guest_a.1")
		s.mustCreate(t, "guest_a.1")
		test.other(&s)
		s.asks("guest_a.1") // as after a reload
		if got := s.mayCreate("guest_a.1"); got != test.want {
			t.Errorf("%s: the device may make a group: %v", test.name, got)
		}
	}
}

// A person who was left out most often, and makes no group, delays the others. The
// person who makes useless groups still comes after them.
func TestTurnsFollowEachOther(t *testing.T) {
	t.Parallel()
	s := waitingScene("guest_m.1", "guest_n.1")
	s.mustCreate(t, "guest_m.1")
	s.asks("guest_m.1")
	s.now = s.now.Add(turnFor)
	s.mustCreate(t, "guest_m.1")
	s.comes("guest_a.1")
	s.comes("guest_b.1")
	s.asks("guest_m.1")
	ended := s.now
	for _, test := range []struct {
		after time.Duration
		may   map[string]bool
	}{
		{0, map[string]bool{"guest_n.1": true, "guest_a.1": false, "guest_b.1": false, "guest_m.1": false}},
		{turnFor - 1, map[string]bool{"guest_n.1": true, "guest_a.1": false, "guest_b.1": false, "guest_m.1": false}},
		{turnFor, map[string]bool{"guest_n.1": true, "guest_a.1": true, "guest_b.1": true, "guest_m.1": false}},
		{2*turnFor - 1, map[string]bool{"guest_n.1": true, "guest_a.1": true, "guest_b.1": true, "guest_m.1": false}},
		{2 * turnFor, map[string]bool{"guest_n.1": true, "guest_a.1": true, "guest_b.1": true, "guest_m.1": true}},
	} {
		s.now = ended.Add(test.after)
		for identity, want := range test.may {
			if got := s.mayCreate(identity); got != want {
				t.Errorf("%s after the end %s may make a group: %v", test.after, identity, got)
			}
		}
	}
}

// adds is what a commit of a member that adds these devices does.
func (s *scene) adds(t *testing.T, author string, identities ...string) {
	t.Helper()
	c := proposal{GroupID: s.GroupID, Epoch: s.Epoch}
	for _, identity := range identities {
		c.Said.Adds = append(c.Said.Adds, addition{identity, "hash of " + identity})
	}
	if _, err := s.commit(author, c); err != nil {
		t.Fatalf("%s adds %v: %v", author, identities, err)
	}
}

// refuses is what Refuse does to the device and its group.
func (s *scene) refuses(identity, author string) {
	s.refuse(identity, author)
	if s.over() {
		s.end()
	}
}

// leaves is what happens to a place when the seat of a device is over.
func (s *scene) leaves(identity string) {
	delete(s.devices, identity)
	delete(s.here, identity)
	if s.over() {
		s.end()
	}
}

// A group leaves out those that wait for it, and those that refuse it: also one that has sent
// no key package since, one that was added again a moment ago, and the one whose refusal ends
// the group. It leaves out neither a member that lost it nor its founder, even if the founder
// refuses it.
func TestWhichDevicesAGroupLeavesOut(t *testing.T) {
	t.Parallel()
	const m, ada, bob, cyd, dan, eve, fay = "guest_m.1", "guest_a.1", "guest_b.1", "guest_c.1", "guest_d.1", "guest_e.1", "guest_f.1"
	for _, test := range []struct {
		name string
		last string // who ends the group by a refusal
	}{
		{"the founder refuses it last", m},
		{"a member refuses it last", dan},
	} {
		s := waitingScene(m, ada, bob, cyd, dan, eve, fay)
		s.devices[bob].Passed = 3
		s.mustCreate(t, m)
		s.adds(t, m, ada, bob, cyd, dan, eve)
		s.asks(bob) // lost the group
		s.refuses(ada, "")
		s.refuses(cyd, "")
		s.asks(cyd)
		s.adds(t, m, cyd)
		s.refuses(eve, m)
		delete(s.here, eve)
		for _, one := range []string{m, dan} {
			if one != test.last {
				s.refuses(one, "")
			}
		}
		if s.GroupID == "" {
			t.Fatalf("%s: the group is over before", test.name)
		}
		s.refuses(test.last, "")
		if s.GroupID != "" {
			t.Fatalf("%s: the group goes on", test.name)
		}
		for identity, want := range map[string]int{m: 0, ada: 1, bob: 0, cyd: 1, dan: 1, eve: 0, fay: 1} {
			if got := s.devices[identity].Passed; got != want {
				t.Errorf("%s: groups have left out %s %d times, want %d", test.name, identity, got, want)
			}
		}
	}
}

// A founder that was added again is still the founder. Its refusal gives it no earlier turn
// than the devices that its groups left out.
func TestAFounderThatWasAddedAgainIsTheFounder(t *testing.T) {
	t.Parallel()
	s := waitingScene("guest_m.1", "guest_n.1", "guest_a.1", "guest_b.1", "guest_c.1")
	s.mustCreate(t, "guest_m.1")
	s.adds(t, "guest_m.1", "guest_n.1")
	s.asks("guest_m.1")
	s.adds(t, "guest_n.1", "guest_m.1")
	for _, identity := range []string{"guest_m.1", "guest_a.1", "guest_b.1"} {
		s.refuses(identity, "")
	}
	if s.GroupID != "" {
		t.Fatal("the group goes on")
	}
	for identity, want := range map[string]int{"guest_m.1": 0, "guest_n.1": 0, "guest_a.1": 1, "guest_b.1": 1, "guest_c.1": 1} {
		if got := s.devices[identity].Passed; got != want {
			t.Errorf("groups have left out %s %d times, want %d", identity, got, want)
		}
	}
	// In the next group it is no founder.
	s.mustCreate(t, "guest_a.1")
	s.asks("guest_m.1")
	s.adds(t, "guest_a.1", "guest_m.1")
	s.refuses("guest_m.1", "")
	s.leaves("guest_a.1")
	if got := s.devices["guest_m.1"].Passed; got != 1 {
		t.Errorf("the group of somebody else has left out its refuser %d times, want 1", got)
	}
}

// Devices that make groups in which nobody else can be come behind the others, although these
// send their key packages only when the group is over, and each accomplice has waited as long.
func TestAccompliceThatWaitsComesBehindThoseThatRefuse(t *testing.T) {
	t.Parallel()
	s := waitingScene("guest_m.1", "guest_n.1")
	others := []string{"guest_a.1", "guest_b.1", "guest_c.1"}
	for _, identity := range others {
		s.comes(identity)
	}
	shutOut := func(founder string) {
		s.mustCreate(t, founder)
		s.adds(t, founder, others...)
		for _, identity := range others {
			s.refuses(identity, "")
		}
		if s.GroupID != "" {
			t.Fatal("the group goes on")
		}
	}
	shutOut("guest_m.1")
	delete(s.devices, "guest_m.1")
	delete(s.here, "guest_m.1")
	s.comes("guest_o.1") // the same person under another name
	for _, identity := range others {
		s.asks(identity)
	}
	shutOut("guest_n.1") // was there from the beginning
	for _, identity := range append(others, "guest_n.1", "guest_o.1") {
		s.asks(identity)
	}
	for identity, want := range map[string]bool{"guest_n.1": false, "guest_o.1": false, "guest_a.1": true, "guest_b.1": true, "guest_c.1": true} {
		if got := s.mayCreate(identity); got != want {
			t.Errorf("%s may make the next group: %v", identity, got)
		}
	}
}

// A device that leaves its group before the others refuse it makes no other at once, though it
// is the only one that waits.
func TestADeviceThatLeavesItsGroupBeforeOthersRefuseItComesLater(t *testing.T) {
	t.Parallel()
	s := waitingScene("guest_m.1", "guest_a.1", "guest_b.1", "guest_c.1")
	s.mustCreate(t, "guest_m.1")
	s.adds(t, "guest_m.1", "guest_a.1", "guest_b.1", "guest_c.1")
	s.asks("guest_m.1")
	for _, identity := range []string{"guest_a.1", "guest_b.1", "guest_c.1"} {
		s.refuses(identity, "")
	}
	if s.GroupID != "" {
		t.Fatal("the group goes on")
	}
	if s.mayCreate("guest_m.1") {
		t.Error("it may make the next group while those that refused are silent")
	}
	for _, identity := range []string{"guest_a.1", "guest_b.1", "guest_c.1"} {
		if !s.mayCreate(identity) {
			t.Errorf("%s, which refused the group, may not make another", identity)
		}
	}
}

// Those that groups have left out more often come first among those that wait.
func TestTheOrderOfThoseThatWait(t *testing.T) {
	t.Parallel()
	s := waitingScene("guest_a.1", "guest_b.1", "guest_c.1", "guest_d.1")
	s.devices["guest_b.1"].Passed, s.devices["guest_c.1"].Passed, s.devices["guest_d.1"].Passed = 1, 2, 1
	var order []string
	for _, one := range s.view("").Waiting {
		order = append(order, one.Identity)
	}
	if want := []string{"guest_c.1", "guest_b.1", "guest_d.1", "guest_a.1"}; !slices.Equal(order, want) {
		t.Errorf("%v wait, want %v", order, want)
	}
}

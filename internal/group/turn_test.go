package group

import (
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
	if _, err := s.create(identity, "g"); err != nil {
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

// Several devices that take turns in adding nobody come behind the others at last, also
// those that come later.
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
	// Once a device has been in a group, it waits anew.
	s.mustCreate(t, "guest_a.1")
	if got := s.devices["guest_a.1"].Passed; got != 0 {
		t.Errorf("a member has waited through %d groups", got)
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
		{"somebody waits who may not make a group", func(s *scene) { s.comes("guest_b.1"); s.devices["guest_b.1"].Barred = barFounding }, true},
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

// A member of a group that ended with it did not wait in vain for that group, and a device
// that refused it did.
func TestWhoHasWaitedInVain(t *testing.T) {
	t.Parallel()
	s := waitingScene("guest_m.1", "guest_a.1", "guest_b.1", "guest_c.1")
	s.mustCreate(t, "guest_m.1")
	for epoch, identity := range []string{"guest_a.1", "guest_b.1"} {
		if _, err := s.commit("guest_m.1", proposal{GroupID: "g", Epoch: int64(epoch), Said: said{Adds: []addition{{identity, "hash of " + identity}}}}); err != nil {
			t.Fatal(err)
		}
	}
	s.refuse("guest_a.1", "guest_m.1")
	s.asks("guest_a.1")
	s.asks("guest_b.1") // lost the group
	s.asks("guest_m.1")
	for identity, want := range map[string]int{"guest_m.1": 0, "guest_a.1": 1, "guest_b.1": 0, "guest_c.1": 1} {
		if got := s.devices[identity].Passed; got != want {
			t.Errorf("%s has waited through %d groups, want %d", identity, got, want)
		}
	}
}

package group

import (
	"fmt"
	"testing"
	"time"
)

// mayFrom checks that a device may make the next group once this much time has passed
// since the last one ended, and not before.
func (s *scene) mayFrom(t *testing.T, identity string, after time.Duration) {
	t.Helper()
	at := *s
	at.now = s.EndedAt.Add(after - 1)
	if after > 0 && at.mayCreate(identity) {
		t.Errorf("%s may make a group before %s", identity, after)
	}
	at.now = s.EndedAt.Add(after)
	if !at.mayCreate(identity) {
		t.Errorf("%s may not make a group after %s", identity, after)
	}
}

// A device that was late when the others refused a group makes the next one after their turn,
// also if one of them stays and makes none.
func TestALateDeviceMakesAGroupAfterTheOthers(t *testing.T) {
	t.Parallel()
	s := waitingScene("guest_m.1", "guest_a.1", "guest_b.1", "guest_c.1")
	s.mustCreate(t, "guest_m.1")
	s.adds(t, "guest_m.1", "guest_a.1", "guest_b.1", "guest_c.1")
	s.refuses("guest_a.1", "")
	s.refuses("guest_b.1", "")
	s.leaves("guest_m.1")
	if s.GroupID != "" {
		t.Fatal("the group goes on")
	}
	s.asks("guest_c.1")
	s.mayFrom(t, "guest_a.1", 0)
	s.mayFrom(t, "guest_c.1", turnFor)
	s.leaves("guest_b.1")
	s.mayFrom(t, "guest_c.1", turnFor)
	s.leaves("guest_a.1")
	s.mayFrom(t, "guest_c.1", 0)
}

// Somebody who makes one group after another and adds nobody does not keep out devices that
// have been in a group that most people refused: such a group leaves them out, too.
func TestLateDevicesComeBeforeOneThatLeavesThemOut(t *testing.T) {
	t.Parallel()
	s := waitingScene("guest_m.1", "guest_n.1")
	late, others := []string{"guest_c.1", "guest_d.1", "guest_e.1"}, []string{"guest_f.1", "guest_g.1", "guest_h.1", "guest_i.1"}
	for _, identity := range append(late, others...) {
		s.comes(identity)
	}
	s.mustCreate(t, "guest_m.1")
	s.adds(t, "guest_m.1", late...)
	for _, identity := range append(others, "guest_n.1") {
		s.refuses(identity, "")
	}
	if s.GroupID != "" {
		t.Fatal("the group goes on")
	}
	for _, identity := range append(others, "guest_m.1") {
		s.leaves(identity)
	}
	for _, identity := range late {
		s.asks(identity)
	}
	s.mustCreate(t, "guest_n.1")
	s.asks("guest_n.1") // and so ends it
	for _, identity := range late {
		s.mayFrom(t, identity, 0)
	}
	s.mayFrom(t, "guest_n.1", turnFor)
}

// Somebody with many devices, which groups have left out different numbers of times,
// keeps the others waiting for one turn only, and can make one group.
func TestAPersonWithManyDevicesHasOneTurn(t *testing.T) {
	t.Parallel()
	s := waitingScene("guest_n.1")
	for i := range 5 {
		s.comes(fmt.Sprintf("guest_m.%d", i))
		s.mustCreate(t, "guest_n.1")
		s.asks("guest_n.1")
		s.now = s.now.Add(time.Minute)
	}
	s.leaves("guest_n.1")
	s.comes("guest_a.1")
	s.EndedAt = s.now
	if got := s.devices["guest_m.0"].Passed; got != 5 {
		t.Fatalf("groups have left out the first device %d times", got)
	}
	s.mayFrom(t, "guest_a.1", turnFor)
	s.mustCreate(t, "guest_m.0")
	s.comes("guest_b.1")
	s.leaves("guest_m.0") // and so ends it
	s.mayFrom(t, "guest_a.1", 0)
	for identity := range s.devices {
		if identity != "guest_a.1" && identity != "guest_b.1" {
			s.mayFrom(t, identity, turnFor)
		}
	}
}

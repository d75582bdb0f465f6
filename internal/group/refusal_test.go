package group

import (
	"testing"
	"time"
)

// sceneOf is a place with these devices, each of which has refused a group or none.
func sceneOf(groupID string, refused map[string]string) scene {
	s := scene{place: place{GroupID: groupID, FoundedSeq: 1, Seq: 2}, devices: map[string]*device{}, here: map[string]bool{}}
	for identity, group := range refused {
		s.devices[identity] = &device{Identity: identity, Added: group == "", RefusedGroup: group}
		if group == "" {
			s.devices[identity].AddedSeq = 2
		}
		s.here[identity] = true
	}
	return s
}

func TestAGroupEndsWhenMostPeopleCannotBeInIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		refused map[string]string
		want    bool
	}{
		{"nobody is here", nil, false},
		{"nobody refuses", map[string]string{"guest_a.1": "", "guest_b.1": ""}, false},
		{"one of two", map[string]string{"guest_a.1": "", "guest_b.1": "g"}, false},
		{"two of three", map[string]string{"guest_a.1": "", "guest_b.1": "g", "guest_c.1": "g"}, true},
		{"two of four", map[string]string{"guest_a.1": "", "guest_b.1": "g", "guest_c.1": "g", "guest_d.1": ""}, false},
		{"two refused another group", map[string]string{"guest_a.1": "", "guest_b.1": "old", "guest_c.1": "old"}, false},
		{"one person with three devices", map[string]string{"guest_a.1": "", "guest_b.1": "g", "guest_b.2": "g", "guest_b.3": "g"}, false},
		{"some devices of a person", map[string]string{"guest_a.1": "", "guest_b.1": "g", "guest_b.2": "", "guest_c.1": "g"}, false},
	} {
		s := sceneOf("g", test.refused)
		if got := s.unwanted(); got != test.want {
			t.Errorf("%s: unwanted is %v", test.name, got)
		}
	}
}

// A refusal counts until the device has been in the group again for a minute.
func TestAnOldRefusalStopsCounting(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		added bool
		since time.Duration // when it was added
		want  bool
	}{
		{"not in the group again", false, time.Hour, true},
		{"added a moment ago", true, time.Minute - time.Millisecond, true},
		{"in the group for a minute", true, time.Minute, false},
		{"added a moment ago by a clock that is ahead", true, -time.Minute, true},
		{"added before the clock was set back", true, -time.Hour, false},
	} {
		s := sceneOf("g", map[string]string{"guest_m.1": "", "guest_a.1": "g", "guest_b.1": ""})
		s.now = noon
		d := s.devices["guest_a.1"]
		d.RefusedAuthor = "guest_m.1"
		if d.Added = test.added; test.added {
			d.AddedAt = noon.Add(-test.since)
		}
		s.refuse("guest_b.1", "guest_m.1")
		if got := s.over(); got != test.want {
			t.Errorf("%s: over is %v", test.name, got)
		}
		if got := s.devices["guest_m.1"].Barred == barJoining; got != test.want {
			t.Errorf("%s: the author is barred: %v", test.name, got)
		}
	}
}

// One guest who disturbs somebody, and then refuses what a third person sends, does not
// have the third person barred, or take the group from the others.
func TestWhoDisturbsSomebodyDoesNotEndTheGroup(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		author string // of what Mallory refuses
	}{
		{"she refuses what Ada sent", "guest_a.1"},
		{"she refuses what she sent herself", "guest_m.1"},
		{"she refuses what her other device sent", "guest_m.2"},
		{"she refuses no message", ""},
	} {
		s := sceneOf("g", map[string]string{"guest_a.1": "", "guest_b.1": "", "guest_m.1": ""})
		s.now = noon
		s.refuse("guest_b.1", "guest_m.1")
		*s.devices["guest_b.1"] = s.devices["guest_b.1"].joined(2, noon)
		s.refuse("guest_m.1", test.author)
		if s.over() {
			t.Errorf("%s: the group is over", test.name)
		}
		for identity, d := range s.devices {
			if d.Barred != barNone {
				t.Errorf("%s: %s is barred from %q", test.name, identity, d.Barred)
			}
		}
	}
}

// Those who refuse an author's messages may become most of the people because somebody
// leaves. Then the author is barred, as after one more refusal.
func TestAnAuthorIsBarredWhenSomebodyLeaves(t *testing.T) {
	t.Parallel()
	s := sceneOf("g", map[string]string{"guest_a.1": "", "guest_b.1": "", "guest_c.1": "", "guest_m.1": ""})
	s.refuse("guest_a.1", "guest_m.1")
	s.refuse("guest_b.1", "guest_m.1")
	if s.over() || s.devices["guest_m.1"].Barred != barNone {
		t.Error("two of four people are most")
	}
	delete(s.devices, "guest_c.1")
	delete(s.here, "guest_c.1")
	if !s.over() {
		t.Fatal("the group goes on, though two of three people cannot be in it")
	}
	s.end()
	if !s.bars("guest_m.1") {
		t.Error("the author is not barred")
	}
}

// Refusals of no message help to end a group, but they do not bar anybody who sent one:
// a device that lacks the secret of the link refuses too.
func TestRefusalsOfNoMessageBarNobody(t *testing.T) {
	t.Parallel()
	s := sceneOf("g", map[string]string{"guest_a.1": "", "guest_b.1": "", "guest_m.1": ""})
	s.refuse("guest_b.1", "")
	s.refuse("guest_m.1", "guest_a.1")
	if got := s.devices["guest_a.1"].Barred; got != barNone {
		t.Errorf("the author of what one person refuses is barred from %q", got)
	}
	if !s.over() {
		t.Error("the group goes on, though two of three people cannot be in it")
	}
}

// A group that most people cannot be in ends even if they blame different authors.
// Otherwise its maker could give some people a useless welcome, and others one that
// makes them refuse what somebody else sends.
func TestPeopleWhoBlameDifferentAuthorsEndAGroup(t *testing.T) {
	t.Parallel()
	here := map[string]string{"guest_a.1": "", "guest_b.1": "", "guest_c.1": "", "guest_d.1": "", "guest_e.1": "", "guest_m.1": ""}
	s := sceneOf("g", here)
	s.refuse("guest_b.1", "guest_m.1")
	s.refuse("guest_c.1", "guest_m.1")
	s.refuse("guest_d.1", "guest_a.1")
	if s.over() {
		t.Error("the group is over after three refusals of six people")
	}
	s.refuse("guest_e.1", "guest_a.1")
	if !s.over() {
		t.Error("the group goes on after four refusals of six people")
	}
	for _, identity := range []string{"guest_a.1", "guest_m.1"} {
		if got := s.devices[identity].Barred; got != barNone {
			t.Errorf("%s is barred from %q", identity, got)
		}
	}
}

// A device that is not added to groups any more does not help to end the next one.
func TestABarredDeviceDoesNotCount(t *testing.T) {
	t.Parallel()
	s := sceneOf("g", map[string]string{"guest_a.1": "", "guest_b.1": "", "guest_m.1": ""})
	s.devices["guest_m.1"].Barred = barJoining
	s.refuse("guest_m.1", "")
	s.refuse("guest_b.1", "guest_a.1")
	if s.over() {
		t.Error("the group is over after one refusal of two people")
	}
	if got := s.devices["guest_a.1"].Barred; got != barNone {
		t.Errorf("the author is barred from %q", got)
	}
}

// A device that caused most people to refuse a group may not cause that again while
// others are there.
func TestADeviceThatMostPeopleRefuseIsBarred(t *testing.T) {
	t.Parallel()
	s := sceneOf("g", map[string]string{"guest_m.1": "", "guest_a.1": "", "guest_b.1": ""})
	s.refuse("guest_a.1", "guest_m.1")
	if got := s.devices["guest_m.1"].Barred; got != barNone {
		t.Errorf("after one refusal of three: barred from %q", got)
	}
	s.refuse("guest_b.1", "guest_m.1")
	if !s.over() {
		t.Fatal("the group goes on")
	}
	s.end()
	for identity, want := range map[string]bool{"guest_m.1": true, "guest_a.1": false} {
		if got := s.bars(identity); got != want {
			t.Errorf("%s is barred: %v", identity, got)
		}
	}
	s.here = map[string]bool{"guest_m.1": true}
	if s.bars("guest_m.1") {
		t.Error("a device that is alone is barred")
	}
	// Neither a device that refuses its own message is barred, nor a member that stayed.
	s = sceneOf("g", map[string]string{"guest_m.1": "", "guest_a.1": "g", "guest_b.1": ""})
	s.refuse("guest_b.1", "guest_b.1")
	s.end()
	for identity, d := range s.devices {
		if d.Barred != barNone {
			t.Errorf("after one refused its own message: %s is barred from %q", identity, d.Barred)
		}
	}
}

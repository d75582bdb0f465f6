package gate

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

// history is a ledger and a clock that a test sets.
type history struct {
	*ledger
	now time.Time
}

func newHistory() *history {
	return &history{newLedger(), time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)}
}

const office, elsewhere = "192.0.2.7", "198.51.100.9"

// named parses person.device or room/person.device; without a room it is always
// the same one.
func named(name string) (d device, personID string) {
	room, identity, found := strings.Cut(name, "/")
	if !found {
		room, identity = "r", name
	}
	personID, _, _ = strings.Cut(identity, ".")
	return device{identity, room}, personID
}

func (h *history) comes(device, from string) {
	d, id := named(device)
	h.entered(h.now, d, id, netip.MustParseAddr(from))
}

func (h *history) goes(device string) { d, _ := named(device); h.left(h.now, d) }

func (h *history) announces(device string) { d, _ := named(device); h.announced(h.now, d) }

func (h *history) passes(d time.Duration) { h.now = h.now.Add(d) }

// mediaEnds returns the devices that are suspects after a crash.
func (h *history) mediaEnds() []string {
	var out []string
	for _, s := range h.mediaEnded(h.now) {
		out = append(out, s.Identity)
	}
	slices.Sort(out)
	return out
}

func (h *history) waits(device, from string) time.Duration {
	d, id := named(device)
	return h.wait(h.now, d, id, netip.MustParseAddr(from))
}

// outage crashes the media server; the named devices reconnect a second later.
func (h *history) outage(back ...string) []string {
	suspects := h.mediaEnds()
	for _, device := range back {
		h.goes(device)
	}
	h.passes(time.Second)
	for _, device := range back {
		h.comes(device, office)
	}
	return suspects
}

// Who is a suspect, at each limit and just beyond it.
func TestSuspects(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		does func(h *history)
		want string
	}{
		{"came in 10 s before", func(h *history) { h.comes("eve.1", office); h.passes(10 * time.Second) }, "eve.1"},
		{"came in more than 10 s before", func(h *history) { h.comes("ada.1", office); h.passes(10*time.Second + 1) }, ""},
		{"announced a track 10 s before", func(h *history) {
			h.comes("eve.1", office)
			h.passes(time.Hour)
			h.announces("eve.1")
			h.passes(10 * time.Second)
		}, "eve.1"},
		{"announced one more than 10 s before", func(h *history) {
			h.comes("ada.1", office)
			h.passes(time.Hour)
			h.announces("ada.1")
			h.passes(10*time.Second + 1)
		}, ""},
		{"left 10 s before", func(h *history) {
			h.comes("eve.1", office)
			h.goes("eve.1")
			h.passes(10 * time.Second)
		}, "eve.1"},
		{"left more than 10 s before", func(h *history) {
			h.comes("ada.1", office)
			h.announces("ada.1")
			h.goes("ada.1")
			h.passes(10*time.Second + 1)
		}, ""},
		{"was cut off and is back", func(h *history) {
			h.comes("ada.1", office)
			h.announces("ada.1")
			h.passes(time.Hour)
			h.goes("ada.1")
			h.passes(10 * time.Second)
			h.comes("ada.1", office)
			h.announces("ada.1") // her microphone, as before
		}, ""},
		{"was away for longer and is back", func(h *history) {
			h.comes("eve.1", office)
			h.passes(time.Hour)
			h.goes("eve.1")
			h.passes(10*time.Second + 1)
			h.comes("eve.1", office)
		}, "eve.1"},
		{"announces one track more than before", func(h *history) {
			h.comes("eve.1", office)
			h.announces("eve.1")
			h.passes(time.Hour)
			h.goes("eve.1")
			h.comes("eve.1", office)
			h.announces("eve.1")
			h.announces("eve.1")
		}, "eve.1"},
		{"another device of somebody who is in", func(h *history) {
			h.comes("eve.1", office)
			h.passes(time.Hour)
			h.comes("eve.2", office)
		}, "eve.2"},
		{"two connections of a device, one is over", func(h *history) {
			h.comes("ada.1", office)
			h.comes("ada.1", office)
			h.goes("ada.1")
			h.passes(time.Hour)
			h.announces("ada.1")
		}, "ada.1"},
		{"nobody", func(*history) {}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHistory()
			tt.does(h)
			if got := strings.Join(h.mediaEnds(), " "); got != tt.want {
				t.Errorf("the suspects are %q, want %q", got, tt.want)
			}
		})
	}
}

// Each further crash within ten minutes looks back twice as far.
func TestFurtherCrashesLookBackFurther(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		earlier []time.Duration // how long before this crash the earlier ones were
		age     time.Duration
		follows bool
	}{
		{nil, 10 * time.Second, true},
		{nil, 10*time.Second + 1, false},
		{[]time.Duration{5 * time.Minute}, 20 * time.Second, true},
		{[]time.Duration{5 * time.Minute}, 20*time.Second + 1, false},
		{[]time.Duration{10 * time.Minute}, 20 * time.Second, true},
		{[]time.Duration{10*time.Minute + 1}, 20 * time.Second, false},
		{[]time.Duration{9 * time.Minute, 8 * time.Minute, 7 * time.Minute}, 80 * time.Second, true},
		{[]time.Duration{9 * time.Minute, 8 * time.Minute, 7 * time.Minute}, 80*time.Second + 1, false},
		{slices.Repeat([]time.Duration{9 * time.Minute}, 100), 9 * time.Minute, true},
		{slices.Repeat([]time.Duration{9 * time.Minute}, 100), 10*time.Minute + 1, false},
	} {
		h := newHistory()
		end := h.now.Add(time.Hour)
		for _, before := range tt.earlier {
			h.now = end.Add(-before)
			h.mediaEnds()
		}
		h.now = end.Add(-tt.age)
		h.comes("eve.1", office)
		h.now = end
		if got := len(h.mediaEnds()) == 1; got != tt.follows {
			t.Errorf("after crashes %v before, an age of %s: %v, want %v", tt.earlier, tt.age, got, tt.follows)
		}
	}
}

// A person who precedes two crashes is kept out, each time for twice as long.
// People who were there before the first one never are.
func TestPeopleWhoPrecedeTwoCrashesAreKeptOut(t *testing.T) {
	t.Parallel()
	h := newHistory()
	h.comes("ada.1", office)
	h.announces("ada.1")
	h.passes(time.Hour)
	h.comes("eve.1", office)
	for n, seconds := range []int{0, 10, 20, 40, 80, 160, 320, 600, 600} {
		want := time.Duration(seconds) * time.Second
		h.outage("ada.1") // eve stays away until she may come back
		h.goes("eve.1")
		if got := h.waits("ada.1", office); got != 0 {
			t.Errorf("after %d crashes ada, who was in before all of them, waits %s", n+1, got)
		}
		h.announces("ada.1") // her microphone is back
		if got := h.waits("eve.1", office); got != max(want-time.Second, 0) {
			t.Errorf("after %d crashes eve waits %s, want %s", n+1, got, want)
		}
		if got := h.waits("eve.2", elsewhere); got != max(want-time.Second, 0) {
			t.Errorf("after %d crashes another device of eve's, elsewhere, waits %s", n+1, got)
		}
		if got := h.waits("s/eve.1", elsewhere); got != 0 {
			t.Errorf("after %d crashes somebody of her name in another room waits %s", n+1, got)
		}
		h.passes(h.waits("eve.1", office))
		if got := h.waits("eve.1", office); got != 0 {
			t.Errorf("eve waits %s more", got)
		}
		h.comes("eve.2", office) // another device, each time
		h.announces("eve.2")
		h.goes("eve.2")
	}
}

// The network counts as well: a newcomer from a network that preceded two
// crashes waits. People who were in do not wait, nor do other networks.
func TestANewcomerFromANetworkOfCrashesWaits(t *testing.T) {
	t.Parallel()
	h := newHistory()
	h.comes("ada.1", office)
	h.passes(time.Hour)
	h.comes("guest1.1", "2001:db8::1")
	h.outage("ada.1")
	h.goes("guest1.1")
	if got := h.waits("guest2.1", "2001:db8::2"); got != 0 {
		t.Errorf("after one crash a guest of that network waits %s", got)
	}
	h.comes("guest2.1", "2001:db8::2")
	h.outage("ada.1")
	for _, tt := range []struct {
		device, from string
		want         time.Duration
	}{
		{"guest3.1", "2001:db8::3", 9 * time.Second},
		{"guest3.1", "2001:db8:0:1::3", 0},
		{"guest3.1", office, 0},
		{"guest2.1", "2001:db8::2", 0}, // preceded one crash, so is known
		{"ada.1", "2001:db8::4", 0},    // was in before both
		{"ada.2", "2001:db8::4", 0},    // was in before both, on another device
	} {
		if got := h.waits(tt.device, tt.from); got != tt.want {
			t.Errorf("%s from %s waits %s, want %s", tt.device, tt.from, got, tt.want)
		}
	}
}

// All of an IPv4 address counts, also when it is mapped into IPv6.
func TestNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7/32", "::ffff:192.0.2.7": "192.0.2.7/32", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64",
	} {
		if got := network(netip.MustParseAddr(address)).String(); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// After ten minutes without a crash everything is forgotten. For a person who was kept
// out, the ten minutes begin when the refusal ends.
func TestSuspicionIsForgotten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		quiet time.Duration // after the last crash
		ends  int           // how many crashes eve has preceded after one more
	}{
		{10 * time.Minute, 3},
		{10*time.Minute + 10*time.Second, 3}, // she was kept out for ten seconds of it
		{10*time.Minute + 10*time.Second + 1, 1},
	} {
		h := newHistory()
		for range 2 {
			h.comes("eve.1", office)
			h.mediaEnds()
			h.goes("eve.1")
		}
		h.passes(tt.quiet)
		h.comes("eve.2", office)
		suspects := h.mediaEnded(h.now)
		if len(suspects) != 1 || suspects[0].Ends != tt.ends {
			t.Errorf("after %s: %+v, want %d ends", tt.quiet, suspects, tt.ends)
		}
	}
}

// Nothing remains of people who came and left, so that memory does not grow.
func TestNothingRemainsOfPeopleWhoLeft(t *testing.T) {
	t.Parallel()
	h := newHistory()
	for range 3 {
		h.comes("eve.1", office)
		h.mediaEnds()
		h.goes("eve.1")
	}
	h.comes("ada.1", office)
	h.goes("ada.1")
	h.passes(time.Hour)
	h.comes("ben.1", elsewhere)
	if len(h.stays) != 1 || len(h.persons) != 0 || len(h.networks) != 0 {
		t.Errorf("%d stays, %d persons and %d networks are kept", len(h.stays), len(h.persons), len(h.networks))
	}
}

package live

import (
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// shows is what the media server shows of several media rooms, by breakout;
// "" is the main one.
func shows(rooms map[string]snapshot) snapshot {
	all := snapshot{}
	for id, snap := range rooms {
		all[id] = snap[""]
	}
	return all
}

// The moves of a device between the media rooms of a meeting. A move does not
// count as leaving or joining.
func TestAMoveIsNeitherLeavingNorJoining(t *testing.T) {
	t.Parallel()
	const b1, b2 = "b1", "b2"
	type rooms = map[string]snapshot
	// sent is a person whose device was sent to a breakout some time ago and was
	// not seen there yet.
	sent := func(to string, ago time.Duration) func(*seat.Seat) {
		return func(s *seat.Seat) { *s = s.Placed(to, noon.Add(-ago)) }
	}
	settled := func(in string) func(*seat.Seat) {
		return func(s *seat.Seat) { s.BreakoutID, s.PlacedAt, s.Generation = in, noon.Add(-time.Minute), "g"+in }
	}
	arrived := func(s *seat.Seat) { s.Generation = "g" + s.BreakoutID }
	missing := func(since time.Duration) func(*seat.Seat) {
		return func(s *seat.Seat) { s.MissingSince = noon.Add(-since) }
	}
	st := func(seats ...seat.Seat) state {
		s := running(seats...)
		s.Breakouts = []mediaroom.Breakout{{ID: b1}, {ID: b2}}
		return s
	}
	closed := func(s state, id string, ago time.Duration) state {
		s.Breakouts = []mediaroom.Breakout{{ID: id, ClosedAt: noon.Add(-ago)}}
		return s
	}
	a, b := seatIn("a"), seatIn("b")
	ada, bob := seen{Identity: "a"}, seen{Identity: "b"}
	for _, c := range []struct {
		name string
		st   state
		snap rooms
		want []string
		next time.Duration // from noon; 0: never
	}{
		{
			"sent, and still in the main room", st(with(a, sent(b1, 0)), b),
			rooms{"": sees("g1", ada, bob), b1: sees("")},
			nil, moveGrace,
		},
		{
			"in both", st(with(a, sent(b1, time.Second)), b),
			rooms{"": sees("g1", ada, bob), b1: sees("gb1", ada)},
			[]string{"touched a"},
			moveGrace - time.Second,
		},
		{
			"in both for too long", st(with(a, sent(b1, moveGrace)), b),
			rooms{"": sees("g1", ada, bob), b1: sees("gb1", ada)},
			[]string{"touched a", "evict a"},
			0,
		},
		{"arrived", st(with(a, sent(b1, time.Second)), b), rooms{"": sees("g1", bob), b1: sees("gb1", ada)}, []string{"touched a"}, 0},
		{"settled", st(with(a, settled(b1)), b), rooms{"": sees("g1", bob), b1: sees("gb1", ada)}, nil, 0},
		{
			"a goodbye to the old media room does not leave the meeting", st(with(a, sent(b1, time.Second)), b),
			rooms{"": bye(sees("g1", bob), "a"), b1: sees("")},
			[]string{"touched a"},
			moveTime,
		},
		{
			"nor does one to the room where the device was before, when it is sent back", st(with(a, settled(b1), sent("", time.Second)), b),
			rooms{"": byeAfter(sees("g1", bob), "a", 2*time.Second), b1: sees("gb1")},
			[]string{"touched a"},
			moveTime,
		},
		{
			"a goodbye to the new media room after the arrival does", st(with(a, settled(b1)), b),
			rooms{"": sees("g1", bob), b1: bye(sees("gb1"), "a")},
			[]string{"gone a left left"},
			0,
		},
		{
			"a goodbye to the new media room before a Sync saw the arrival does", st(with(a, sent(b1, time.Second)), b),
			rooms{"": sees("g1", bob), b1: bye(sees("gb1"), "a")},
			[]string{"gone a left left"},
			0,
		},
		{
			"a late goodbye to the old one after the arrival does not", st(with(a, settled(b1)), b),
			rooms{"": bye(sees("g1", bob), "a"), b1: sees("gb1", ada)},
			nil, 0,
		},
		{
			"on the way for too long", st(with(a, sent(b1, time.Minute), missing(moveTime)), b),
			rooms{"": sees("g1", bob), b1: sees("")},
			[]string{"gone a disconnected lost"},
			0,
		},
		{
			"on the way, almost for too long", st(with(a, sent(b1, time.Minute), missing(moveTime-time.Second)), b),
			rooms{"": sees("g1", bob), b1: sees("")},
			nil, time.Second,
		},
		{
			"let through to the new one a moment ago", st(with(a, sent(b1, time.Minute), missing(moveTime), func(s *seat.Seat) { s.LetThroughAt = noon.Add(-time.Second) }), b),
			rooms{"": sees("g1", bob), b1: sees("")},
			nil, seat.ConnectGrace - time.Second,
		},
		{
			"stays too long where they do not belong any more", st(with(a, sent(b1, moveGrace)), b),
			rooms{"": sees("g1", ada, bob), b1: sees("")},
			[]string{"evict a"},
			0,
		},
		{
			"stays almost too long there", st(with(a, sent(b1, moveGrace-time.Second)), b),
			rooms{"": sees("g1", ada, bob), b1: sees("")},
			nil, time.Second,
		},
		{
			"sent before the clock was set back", st(with(a, sent(b1, -time.Hour)), b),
			rooms{"": sees("g1", ada, bob), b1: sees("")},
			[]string{"evict a"},
			0,
		},
		{
			"sent by a node whose clock is ahead", st(with(a, sent(b1, -time.Second)), b),
			rooms{"": sees("g1", ada, bob), b1: sees("")},
			nil, moveGrace + time.Second,
		},
		{
			"sent on from one breakout to another", st(with(a, sent(b2, time.Second)), b),
			rooms{"": sees("g1", bob), b1: bye(sees("gb1"), "a"), b2: sees("gb2", ada)},
			[]string{"touched a"},
			0,
		},
		{
			"sent on before they arrived: no more time to leave the old room", st(with(a, settled(b1), sent(b2, 4*time.Second), sent("", 0)), b),
			rooms{"": sees("g1", bob), b1: sees("gb1", ada), b2: sees("")},
			nil, moveGrace - 4*time.Second,
		},
		{
			"sent to and fro for too long", st(with(a, settled(b1), sent(b2, moveGrace), sent("", time.Second), sent(b2, 0)), b),
			rooms{"": sees("g1", bob), b1: sees("gb1", ada), b2: sees("")},
			[]string{"evict a b1"},
			0,
		},
		{
			"sent on after they arrived: the time starts again", st(with(a, sent(b1, 4*time.Second), arrived, sent(b2, 0)), b),
			rooms{"": sees("g1", bob), b1: sees("gb1", ada), b2: sees("")},
			nil, moveGrace,
		},
		{
			"sent back before they left", st(with(a, settled(b1), sent(b2, 4*time.Second), sent(b1, 0)), b),
			rooms{"": sees("g1", bob), b1: sees("gb1", ada), b2: sees("")},
			[]string{"touched a"},
			0,
		},
		{
			"connected nowhere, and sent to and fro", st(with(a, settled(b1), sent(b2, time.Minute), missing(moveTime), sent("", 0)), b),
			rooms{"": sees("g1", bob), b1: sees(""), b2: sees("")},
			[]string{"gone a disconnected lost"},
			0,
		},
		{
			"the last one in the main room left, but somebody is in a breakout", st(with(a, settled(b1)), b),
			rooms{"": bye(sees("g1"), "b"), b1: sees("gb1", ada)},
			[]string{"gone b left left"},
			0,
		},
		{
			"the last one anywhere left", st(with(a, settled(b1))),
			rooms{"": sees(""), b1: bye(sees("gb1"), "a")},
			[]string{"gone a left left", "emptied"},
			emptyGrace,
		},
		{
			"a stranger in a breakout", st(with(a, settled(b1))),
			rooms{"": sees(""), b1: sees("gb1", ada, seen{Identity: "x"})},
			[]string{"evict x b1"},
			0,
		},
		{
			"the media server restarted", st(with(a, settled(b1)), b),
			rooms{"": sees(""), b1: sees("")},
			[]string{"touched a", "touched b"},
			restartGrace,
		},
		{
			"and the one in the breakout is back", st(with(a, settled(b1), missing(time.Second)), with(b, missing(time.Second))),
			rooms{"": sees(""), b1: sees("g9", ada)},
			[]string{"touched a"},
			restartGrace - time.Second,
		},
		{
			"lost in the main room, assigned, and back in the breakout", st(with(a, sent(b1, time.Minute), func(s *seat.Seat) { s.Status = seat.Lost }), b),
			rooms{"": sees("g1", bob), b1: sees("gb1", ada)},
			[]string{"joined a"},
			0,
		},

		{
			"a breakout was closed a moment ago", closed(running(with(a, sent("", time.Second)), b), b1, time.Second),
			rooms{"": sees("g1", bob), b1: sees("gb1", ada)},
			nil, moveGrace - time.Second,
		},
		{
			"the only one in a breakout was removed", st(with(a, settled(b1), func(s *seat.Seat) { s.Status = seat.Removed }), b),
			rooms{"": sees("g1", bob), b1: sees("gb1", ada)},
			[]string{"evict a b1"},
			0,
		},
		{
			"a closed breakout disconnects people who are still there", closed(running(with(a, sent("", moveGrace)), b), b1, moveGrace),
			rooms{"": sees("g1", bob), b1: sees("gb1", ada)},
			[]string{"evict a b1", "close b1"},
			0,
		},
		{
			"a closed breakout without people is closed at the media server too", closed(running(b), b1, moveGrace),
			rooms{"": sees("g1", bob), b1: sees("gb1")},
			[]string{"close b1"},
			0,
		},
		{
			"a breakout was closed before the clock was set back", closed(running(b), b1, -time.Hour),
			rooms{"": sees("g1", bob), b1: sees("gb1")},
			[]string{"close b1"},
			0,
		},
		{"a closed breakout without a media room is forgotten", closed(running(b), b1, moveGrace), rooms{"": sees("g1", bob), b1: sees("")}, []string{"forget b1"}, 0},
		{"a closed breakout is also forgotten after the meeting", closed(state{Room: anyRoom()}, b1, moveGrace), rooms{"": sees(""), b1: sees("")}, []string{"forget b1"}, 0},
		{
			"the meeting was ended",
			state{Room: anyRoom(), Breakouts: []mediaroom.Breakout{{ID: b1, ClosedAt: noon}}},
			rooms{"": sees("g1", bob), b1: sees("gb1", ada)},
			[]string{"evict b", "evict a b1", "close", "close b1"},
			moveGrace,
		},
	} {
		expectPlan(t, c.name, planned(c.st, shows(c.snap), noon), c.want, c.next)
	}
}

// In a webinar a person who was placed in a breakout may speak there, and not yet
// in the room they are leaving.
func TestABreakoutHasNoAudience(t *testing.T) {
	t.Parallel()
	webinar := anyRoom()
	webinar.Settings.Type = room.TypeWebinar
	listener := seatIn("a")
	person := seen{Identity: "a", Rights: rightsIn(webinar, listener)}
	inside := listener
	inside.BreakoutID = "b1"
	if may := listener.May(webinar); may.Microphone {
		t.Errorf("the audience's rights in the main room are %+v", may)
	}
	if may := inside.May(webinar); !may.Microphone || !may.Camera {
		t.Errorf("their rights in a breakout are %+v", may)
	}
	st := running(listener.Placed("b1", noon))
	st.Room = webinar
	if got := gist(planned(st, snapshot{"": sees("g1", person)[""], "b1": roomSnapshot{}}, noon)); len(got) > 0 {
		t.Errorf("on the way: got %q, want nothing", got)
	}
	if got := gist(planned(st, snapshot{"": roomSnapshot{}, "b1": sees("gb1", person)[""]}, noon)); !slices.Equal(got, []string{"touched a", "regrant a"}) {
		t.Errorf("after the arrival: got %q, want their rights to change", got)
	}
}

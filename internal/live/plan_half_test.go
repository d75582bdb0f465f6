package live

import (
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// A device with only its signalling is not in the meeting. It is disconnected
// from rooms where its seat may not be, and from any room after a while. A device
// that publishes on half a connection is in the meeting.
func TestADeviceWithOnlySignallingIsNotInTheMeeting(t *testing.T) {
	t.Parallel()
	const b1 = "b1"
	a, b := seatIn("a"), seatIn("b")
	fresh := func(s *seat.Seat) { s.Status, s.JoinedAt = seat.LetThrough, time.Time{} }
	noted := func(ago, before time.Duration) func(*seat.Seat) { // arriving, and before that with other connections
		return func(s *seat.Seat) { s.ArrivingAt, s.ArrivingFor = noon.Add(-ago), before }
	}
	idle := func(seats ...seat.Seat) state { st := running(seats...); st.Meeting = nil; return st }
	bob, speaking := seen{Identity: "b"}, seen{Identity: "a", Half: true}
	half := func(l snapshot, breakoutID, identity string, ago time.Duration) snapshot {
		g := l[breakoutID]
		g.Arriving = map[string]time.Time{identity: noon.Add(-ago)}
		l[breakoutID] = g
		return l
	}
	inBoth := func(there roomSnapshot) snapshot { return snapshot{"": sees("g1", bob)[""], b1: there} }
	known := func(s state) state { s.Breakouts = []mediaroom.Breakout{{ID: b1}}; return s }
	for _, c := range []struct {
		name string
		st   state
		snap snapshot
		want []string
		next time.Duration
	}{
		{"just now", running(with(a, fresh), b), half(sees("g1", bob), "", "a", time.Second), []string{"touched a"}, seat.ArriveGrace - time.Second},
		{"noted", running(with(a, fresh, noted(time.Second, 0)), b), half(sees("g1", bob), "", "a", time.Second), nil, seat.ArriveGrace - time.Second},
		{"not in the meeting", idle(with(a, fresh)), half(sees("g1"), "", "a", time.Second), []string{"touched a"}, seat.ArriveGrace - time.Second},
		{"almost too long", running(with(a, fresh, noted(seat.ArriveGrace-time.Millisecond, 0)), b), half(sees("g1", bob), "", "a", seat.ArriveGrace-time.Millisecond), nil, time.Millisecond},
		{"too long", running(with(a, fresh, noted(seat.ArriveGrace, 0)), b), half(sees("g1", bob), "", "a", seat.ArriveGrace), []string{"evict a"}, 0},
		{
			"a second attempt", running(with(a, fresh, noted(16*time.Second, 0)), b), half(sees("g1", bob), "", "a", time.Millisecond),
			[]string{"touched a"},
			seat.ArriveGrace - time.Millisecond,
		},
		{"a second attempt, as long as one may take", running(with(a, fresh, noted(19*time.Second, 16*time.Second)), b), half(sees("g1", bob), "", "a", 19*time.Second), nil, time.Second},
		{
			"a third attempt", running(with(a, fresh, noted(16*time.Second, 16*time.Second)), b), half(sees("g1", bob), "", "a", 0),
			[]string{"touched a"},
			13 * time.Second,
		},
		{"a third attempt, too long", running(with(a, fresh, noted(13*time.Second, 32*time.Second)), b), half(sees("g1", bob), "", "a", 13*time.Second), []string{"evict a"}, 0},
		{
			"too many attempts", running(with(a, fresh, noted(15*time.Second, 30*time.Second)), b), half(sees("g1", bob), "", "a", 0),
			[]string{"touched a", "evict a"},
			0,
		},
		{
			"coming in after many attempts", running(with(a, fresh, noted(15*time.Second, 30*time.Second)), b), sees("g1", bob, seen{Identity: "a"}),
			[]string{"joined a"},
			0,
		},
		{"a stranger", running(b), half(sees("g1", bob), "", "x", 0), []string{"evict x"}, 0},
		{"publishing", running(with(a, fresh), b), sees("g1", bob, speaking), []string{"joined a"}, 0},
		{"publishing, as the first person", idle(with(a, fresh)), sees("g1", speaking), []string{"start", "joined a"}, 0},
		{"publishing, for any time", running(a, b), sees("g1", bob, speaking), nil, 0},
		{"publishing, a stranger", running(b), sees("g1", bob, speaking), []string{"evict a"}, 0},
		{"published before, just now", running(a, b), half(sees("g1", bob), "", "a", time.Second), []string{"touched a"}, hintGrace},
		{
			"published before, a while ago", running(with(a, func(s *seat.Seat) { s.MissingSince = noon.Add(-hintGrace) }), b), half(sees("g1", bob), "", "a", seat.ArriveGrace),
			[]string{"gone a disconnected lost", "evict a"},
			0,
		},
		{
			"in both rooms on the way to the breakout, and publishing there", known(running(with(a, func(s *seat.Seat) { *s = s.Placed(b1, noon.Add(-time.Second)) }), b)),
			snapshot{"": sees("g1", bob, seen{Identity: "a"})[""], b1: sees("gb1", speaking)[""]},
			[]string{"touched a"},
			moveGrace - time.Second, // it cannot hear the breakout yet
		},
		{
			"in the breakout they were sent from", known(running(with(a, fresh, func(s *seat.Seat) { *s = s.Placed("", noon.Add(-moveGrace)) }), b)),
			half(inBoth(sees("gb1")[""]), b1, "a", time.Second),
			[]string{"touched a", "evict a b1"},
			seat.ArriveGrace - time.Second,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := planned(c.st, c.snap, noon)
			if got := gist(o); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if next := o.Next; c.next == 0 != next.IsZero() || !next.IsZero() && next.Sub(noon) != c.next {
				t.Errorf("the next Sync is at %v, want %v after noon", next, c.next)
			}
		})
	}
}

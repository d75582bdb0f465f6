package live

import (
	"slices"
	"testing"
	"time"
)

// Whoever has made half of a connection is not in, and goes where their seat may
// not be, like everybody else; anybody goes who makes no more of it.
func TestHalfConnections(t *testing.T) {
	t.Parallel()
	const b1 = "b1"
	a, b := seatIn("a"), seatIn("b")
	fresh := func(s *Seat) { s.Status, s.JoinedAt = New, time.Time{} }
	idle := func(seats ...Seat) state { st := running(seats...); st.Meeting = nil; return st }
	bob := seen{Identity: "b"}
	half := func(l look, breakoutID, identity string, ago time.Duration) look {
		g := l[breakoutID]
		g.Arriving = map[string]time.Time{identity: noon.Add(-ago)}
		l[breakoutID] = g
		return l
	}
	inBoth := func(there glance) look { return look{"": sees("g1", bob)[""], b1: there} }
	known := func(s state) state { s.Breakouts = []breakoutMedia{{ID: b1}}; return s }
	for _, c := range []struct {
		name string
		st   state
		lk   look
		want []string
		next time.Duration
	}{
		{"just now", running(with(a, fresh), b), half(sees("g1", bob), "", "a", time.Second), nil, arriveGrace - time.Second},
		{"not in the meeting", idle(with(a, fresh)), half(sees("g1"), "", "a", time.Second), nil, arriveGrace - time.Second},
		{"a moment less than too long", running(with(a, fresh), b), half(sees("g1", bob), "", "a", arriveGrace-time.Millisecond), nil, time.Millisecond},
		{"too long", running(with(a, fresh), b), half(sees("g1", bob), "", "a", arriveGrace), []string{"evict a"}, 0},
		{"a stranger", running(b), half(sees("g1", bob), "", "x", 0), []string{"evict x"}, 0},
		{
			"in the breakout they were sent from", known(running(with(a, fresh, func(s *Seat) { *s = s.placed("", noon.Add(-moveGrace)) }), b)),
			half(inBoth(sees("gb1")[""]), b1, "a", time.Second),
			[]string{"evict a b1"},
			arriveGrace - time.Second,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := planned(c.st, c.lk, noon)
			if got := gist(o); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if next := o.Next; c.next == 0 != next.IsZero() || !next.IsZero() && next.Sub(noon) != c.next {
				t.Errorf("looks again at %v, want %v after noon", next, c.next)
			}
		})
	}
}

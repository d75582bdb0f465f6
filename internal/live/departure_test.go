package live

import (
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// The gate hears a goodbye. Whether the person has left depends on when the device was
// let through and when it was last seen.
func TestPlanOfGoodbyes(t *testing.T) {
	t.Parallel()
	const b1 = "b1"
	left, stays := []string{"gone a left left"}, []string{"touched a"}
	letThrough := func(ago time.Duration) func(*seat.Seat) {
		return func(s *seat.Seat) { s.LetThroughAt = noon.Add(-ago) }
	}
	missing := func(ago time.Duration) func(*seat.Seat) {
		return func(s *seat.Seat) { s.MissingSince = noon.Add(-ago) }
	}
	sent := func(s *seat.Seat) { *s = s.Placed(b1, noon.Add(-time.Second)) }
	sentBack := func(s *seat.Seat) {
		s.BreakoutID, s.Generation, s.LetThroughAt = b1, "gb1", noon.Add(-3*time.Second)
		*s = s.Placed("", noon.Add(-time.Second))
	}
	settled := func(s *seat.Seat) { s.BreakoutID, s.Generation = b1, "gb1" }
	ticket := func(s *seat.Seat) { s.TicketHash = "hash" }
	a, b, bob := seatIn("a"), seatIn("b"), seen{Identity: "b"}
	for _, c := range []struct {
		name  string
		seat  seat.Seat
		where string        // the breakout whose media room they said goodbye to
		ago   time.Duration // when
		want  []string
		next  time.Duration // from noon; 0: never
	}{
		{"just now", a, "", 0, left, 0},
		{"with our own interface, which may come back", with(a, ticket), "", 0, []string{"gone a left lost"}, 0},
		{"from the connection that was let through a moment ago", with(a, letThrough(time.Second)), "", time.Second, left, 0},
		{"from the connection before that one", with(a, letThrough(time.Second)), "", 2 * time.Second, stays, seat.ConnectGrace - time.Second},
		{"almost too long ago", a, "", goodbyeKept - time.Millisecond, left, 0},
		{"too long ago", a, "", goodbyeKept, stays, hintGrace},
		{"after an attempt to come back that failed", with(a, missing(3*time.Second), letThrough(2*time.Second)), "", time.Second, nil, seat.ConnectGrace - 2*time.Second},
		{"noticed before the goodbye was heard", with(a, missing(time.Second), letThrough(time.Minute)), "", 0, left, 0},
		{"on the way, to the new room", with(a, sent, letThrough(time.Second)), b1, 0, left, 0},
		{"on the way, to the new room, after leaving the old one", with(a, sent, missing(2*time.Second), letThrough(time.Second)), b1, 0, left, 0},
		{"on the way, to the old room", with(a, sent), "", 0, stays, moveTime},
		{"on the way back, to the room that the device left on its way there", with(a, sentBack), "", 2 * time.Second, stays, moveTime},
		{"on the way back, said late to the room that the device left on its way there", with(a, sentBack), "", 0, stays, moveTime},
		{"in a breakout", with(a, settled), b1, 0, left, 0},
		{"in a breakout, to the main room", with(a, settled), "", 0, stays, hintGrace},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			st := running(c.seat, b)
			st.Breakouts = []mediaroom.Breakout{{ID: b1}}
			snap := shows(map[string]snapshot{"": sees("g1", bob), b1: sees("gb1")})
			place := snap[c.where]
			place.Goodbyes = map[string]time.Time{"a": noon.Add(-c.ago)}
			snap[c.where] = place
			o := planned(st, snap, noon)
			if got := gist(o); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			want := time.Time{}
			if c.next != 0 {
				want = noon.Add(c.next)
			}
			if !o.Next.Equal(want) {
				t.Errorf("the next Sync is due at %v, want %v", o.Next, want)
			}
		})
	}
}

// A device that said goodbye may still be connected when the gate hears it. If the
// media server will not report the goodbye, the next look is soon.
func TestPlanOfGoodbyesOfConnectedDevices(t *testing.T) {
	t.Parallel()
	const b1 = "b1"
	sent := func(s *seat.Seat) { *s = s.Placed(b1, noon.Add(-time.Second)) }
	letThrough := func(s *seat.Seat) { s.LetThroughAt = noon.Add(-time.Second) }
	a := seatIn("a")
	whole, half := seen{Identity: "a"}, seen{Identity: "a", Half: true}
	for _, c := range []struct {
		name  string
		seat  seat.Seat
		rooms map[string]snapshot
		where string        // the breakout whose media room they said goodbye to
		ago   time.Duration // when
		next  time.Duration // from noon; 0: never
	}{
		{"with a whole connection", a, map[string]snapshot{"": sees("g1", whole), b1: sees("")}, "", 0, 0},
		{"publishing on half a connection", a, map[string]snapshot{"": sees("g1", half), b1: sees("")}, "", 0, leaveTime},
		{"publishing on half a connection, let through after the goodbye", with(a, letThrough), map[string]snapshot{"": sees("g1", half), b1: sees("")}, "", 2 * time.Second, 0},
		{"publishing on half a connection, too long ago", a, map[string]snapshot{"": sees("g1", half), b1: sees("")}, "", goodbyeKept, 0},
		{"on the way, still in the old room", with(a, sent, letThrough), map[string]snapshot{"": sees("g1", whole), b1: sees("gb1")}, b1, 0, leaveTime},
		{"on the way, to the old room", with(a, sent), map[string]snapshot{"": sees("g1", whole), b1: sees("gb1")}, "", 0, moveGrace - time.Second},
		{"arrived with half a connection", with(a, sent, letThrough), map[string]snapshot{"": sees("g1"), b1: sees("gb1", half)}, b1, 0, leaveTime},
		{"arrived with a whole connection", with(a, sent), map[string]snapshot{"": sees("g1"), b1: sees("gb1", whole)}, b1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			st := running(c.seat)
			st.Breakouts = []mediaroom.Breakout{{ID: b1}}
			snap := shows(c.rooms)
			place := snap[c.where]
			place.Goodbyes = map[string]time.Time{"a": noon.Add(-c.ago)}
			snap[c.where] = place
			o := planned(st, snap, noon)
			if len(o.Gone) > 0 {
				t.Errorf("they are gone while they are connected: %q", gist(o))
			}
			want := time.Time{}
			if c.next != 0 {
				want = noon.Add(c.next)
			}
			if !o.Next.Equal(want) {
				t.Errorf("the next Sync is due at %v, want %v", o.Next, want)
			}
		})
	}
}

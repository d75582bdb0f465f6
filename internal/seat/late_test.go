package seat

import (
	"errors"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
)

// Each time a device is disconnected for being late, the gate refuses it for
// longer, up to ten minutes.
func TestTheGateRefusesLateDevicesForLongerEachTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	seat := Seat{}
	if err := seat.RefuseLate(now); err != nil {
		t.Errorf("a seat that was never late is refused: %v", err)
	}
	for _, seconds := range []int{10, 20, 40, 80, 160, 320, 600, 600, 600} {
		want := time.Duration(seconds) * time.Second
		seat = seat.DisconnectedLate(now)
		again := seat.DisconnectedLate(now.Add(want - time.Millisecond))
		if again != seat {
			t.Errorf("while the gate refused it, it was disconnected again: %+v", again)
		}
		for after, wait := range map[time.Duration]time.Duration{0: want, want - time.Millisecond: time.Millisecond, want: 0} {
			err := seat.RefuseLate(now.Add(after))
			if wait == 0 {
				if err != nil {
					t.Errorf("late %d times, %s afterwards: refused with %v", seat.Late, after, err)
				}
				continue
			}
			var refusal *fault.Error
			if !errors.As(err, &refusal) || refusal.Code != api.CodeRateLimited || refusal.RetryAfter != wait {
				t.Errorf("late %d times, %s afterwards: got %+v, want a refusal for %s", seat.Late, after, err, wait)
			}
		}
		now = now.Add(want)
	}
}

// A device is late after 20 seconds of one connection with only its signalling, and
// after 45 seconds of several. Connections of long ago do not count.
func TestEarlierConnectionsOfADeviceThatArrivesCount(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		after []time.Duration // each connection begins so long after the first
		want  time.Duration   // when the last one is late, after it began
	}{
		{"the first", []time.Duration{0}, 20 * time.Second},
		{"seen twice", []time.Duration{0, 0}, 20 * time.Second},
		{"a second one", []time.Duration{0, 15 * time.Second}, 20 * time.Second},
		{"a second one, after a while", []time.Duration{0, time.Minute}, 20 * time.Second},
		{"a third one", []time.Duration{0, 15 * time.Second, 30 * time.Second}, 15 * time.Second},
		{"a third one, after a while", []time.Duration{0, time.Minute, 2 * time.Minute}, 5 * time.Second},
		{"a fourth one", []time.Duration{0, 15 * time.Second, 30 * time.Second, 45 * time.Second}, 0},
		{"many short ones", []time.Duration{0, 12 * time.Second, 24 * time.Second, 36 * time.Second}, 9 * time.Second},
		{"after ten minutes", []time.Duration{0, 15 * time.Second, 30 * time.Second, 10*time.Minute + 31*time.Second}, 20 * time.Second},
		{"one that another node noticed earlier", []time.Duration{0, 15 * time.Second, 14 * time.Second}, 20 * time.Second},
	} {
		seat, since := Seat{}, now
		for _, after := range c.after {
			since = now.Add(after)
			seat = seat.Arriving(since)
		}
		if got := seat.ArriveBy(since).Sub(since); got != c.want {
			t.Errorf("%s: late after %s, want %s", c.name, got, c.want)
		}
	}
	late := Seat{}.Arriving(now).DisconnectedLate(now.Add(20 * time.Second))
	if again := late.Arriving(now.Add(time.Second)); again != late {
		t.Errorf("a connection that was late already counts again: %+v", again)
	}
	after := now.Add(30 * time.Second)
	if got := late.Arriving(after).ArriveBy(after).Sub(after); got != 20*time.Second {
		t.Errorf("after being late, the next connection is late after %s, want 20 s", got)
	}
}

// Nobody waits until a clock that was set back has caught up.
func TestALateDeviceDoesNotWaitForAClockSetBack(t *testing.T) {
	t.Parallel()
	late := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	s := Seat{}.DisconnectedLate(late)
	if err := s.RefuseLate(late.Add(-lateWait)); err == nil {
		t.Error("a device is let through when the clocks of two nodes differ a little")
	}
	back := late.Add(-time.Hour)
	if err := s.RefuseLate(back); err != nil {
		t.Errorf("an hour before, by the clock, it is refused: %v", err)
	}
	if err := s.DisconnectedLate(back).RefuseLate(back); err == nil {
		t.Error("late again, it is let through")
	}
}

// Connections count together also after the clock was set back.
func TestConnectionsCountTogetherAfterAClockWasSetBack(t *testing.T) {
	t.Parallel()
	late := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for name, s := range map[string]Seat{
		"was late":     Seat{}.DisconnectedLate(late),
		"was arriving": Seat{}.Arriving(late),
	} {
		back := late.Add(-time.Hour)
		for range 3 {
			s = s.Arriving(back)
			back = back.Add(15 * time.Second)
		}
		if by := s.ArriveBy(back); !by.Equal(back) {
			t.Errorf("%s: after three connections of 15 seconds it is late in %v", name, by.Sub(back))
		}
	}
}

// A device without a connection neither has its wait shortened nor begins to arrive.
func TestADeviceWithoutAConnectionDoesNotArrive(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for name, s := range map[string]Seat{
		"was late": Seat{}.DisconnectedLate(now), "was arriving": Seat{}.Arriving(now), "is new": {},
	} {
		if got := s.Arriving(time.Time{}); got != s {
			t.Errorf("%s: %+v, want it unchanged", name, got)
		}
	}
}

// A person who was muted or moved before the clock was set back is not treated as one
// who was muted or moved a moment ago.
func TestNobodyIsMutedOrMovesUntilAClockSetBackCatchesUp(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s := Seat{}
	s.PlacedAt, s.MutedAt = noon, noon
	for _, c := range []struct {
		passed time.Duration
		want   bool
	}{{0, true}, {ConnectGrace - time.Millisecond, true}, {ConnectGrace, false}, {-time.Second, true}, {-time.Hour, false}} {
		if got := s.Moved(noon.Add(c.passed)); got != c.want {
			t.Errorf("%s after a move: moved a moment ago: %v, want %v", c.passed, got, c.want)
		}
		if got := s.EntersMuted(room.Room{}, noon.Add(c.passed)); got != c.want {
			t.Errorf("%s after a host muted: enters muted: %v, want %v", c.passed, got, c.want)
		}
	}
}

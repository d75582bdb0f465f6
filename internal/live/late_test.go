package live

import (
	"errors"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// Each time a device is put out for being late the gate refuses it for longer,
// up to ten minutes.
func TestTheGateRefusesLateDevicesForLongerEachTime(t *testing.T) {
	t.Parallel()
	now := noon
	seat := Seat{}
	if err := seat.RefuseLate(now); err != nil {
		t.Errorf("a seat that was never late is refused: %v", err)
	}
	for _, seconds := range []int{10, 20, 40, 80, 160, 320, 600, 600, 600} {
		want := time.Duration(seconds) * time.Second
		seat = seat.putOutLate(now)
		again := seat.putOutLate(now.Add(want - time.Millisecond))
		if again != seat {
			t.Errorf("while it is refused, it was put out another time: %+v", again)
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

// A connection that stands ends the count, and half of one does not.
func TestAConnectionThatStandsEndsTheCount(t *testing.T) {
	t.Parallel()
	late := seatIn("a")
	late.Late, late.LateAt = 3, noon.Add(-time.Minute)
	for half, want := range map[bool]int{true: 3, false: 0} {
		o := planned(running(late), sees("g1", seen{Identity: "a", Half: half}), noon)
		got := late
		if len(o.Touched) == 1 {
			got = o.Touched[0]
		}
		if got.Late != want || got.LateAt.IsZero() != (want == 0) {
			t.Errorf("half %v: late %d times at %v, want %d", half, got.Late, got.LateAt, want)
		}
	}
}

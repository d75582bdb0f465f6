package seat

import (
	"errors"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
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

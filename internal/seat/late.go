package seat

import (
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// A device that is connected with only its signalling is not listed, and sees who
// is in the room. Each time it is disconnected for being late, it has to wait
// longer before the gate lets it through again (docs/reference/meetings.md).
const (
	lateWait     = 10 * time.Second
	longLateWait = 10 * time.Minute
)

// refusedUntil is until when the gate refuses devices of the seat; zero for a seat
// whose last connection succeeded.
func (s Seat) refusedUntil() time.Time {
	if s.Late == 0 {
		return time.Time{}
	}
	wait := lateWait
	for range s.Late - 1 {
		if wait *= 2; wait >= longLateWait {
			wait = longLateWait
			break
		}
	}
	return s.LateAt.Add(wait)
}

// DisconnectedLate is a seat after its device was disconnected for being late. Two
// nodes may find the same connection late: a seat that the gate still refuses
// cannot have another connection.
func (s Seat) DisconnectedLate(now time.Time) Seat {
	if !now.Before(s.refusedUntil()) {
		s.Late, s.LateAt = s.Late+1, now
	}
	return s
}

// RefuseLate refuses a seat whose device was disconnected for being late, until
// the time to wait is over.
func (s Seat) RefuseLate(now time.Time) error {
	wait := s.refusedUntil().Sub(now)
	if wait <= 0 {
		return nil
	}
	return &fault.Error{
		Kind: fault.RateLimited, Code: api.CodeRateLimited, RetryAfter: wait,
		Message: "Your last connection to this meeting did not come about in time. Wait a moment and connect again.",
	}
}

package seat

import (
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// A device that is connected with its signalling alone is not listed, and sees
// who is in the room. Each time it is put out for that, it has to wait longer
// before the gate lets it through again (docs/reference/meetings.md).
const (
	lateWait     = 10 * time.Second
	longLateWait = 10 * time.Minute
)

// refusedUntil is until when the gate lets no device of the seat through; zero
// for a seat whose last connection came about.
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

// PutOutLate is a seat whose device is put out for being late. Two nodes may
// find the same connection late: while the gate refuses the seat, it cannot be
// another one.
func (s Seat) PutOutLate(now time.Time) Seat {
	if !now.Before(s.refusedUntil()) {
		s.Late, s.LateAt = s.Late+1, now
	}
	return s
}

// RefuseLate is the refusal of a seat whose device was put out for being late,
// until its time is over.
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

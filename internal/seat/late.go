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
	// ArriveGrace is how long a device may be connected with only its
	// signalling. Without its media connection it cannot hear or be heard, and is
	// not listed. LiveKit's clients give an attempt up after 15 seconds
	// (peerConnectionTimeout), relayed ones included; 5 more are for messages that
	// are late on both sides.
	ArriveGrace = 20 * time.Second
	// arriveMost is how long a device may be connected with only its signalling in
	// several connections together: three attempts of 15 seconds. A client that gives
	// each attempt up and begins another would otherwise never be late.
	arriveMost = 45 * time.Second
	// A connection that began longer ago than arriveForgotten does not count.
	// No wait for devices that were late is longer.
	arriveForgotten = longLateWait
)

// refusedFor is how long the gate refuses devices of the seat; zero or less if it lets
// them through. If the result is far longer than any wait that we set, the clock was
// set back, and the wait is over.
func (s Seat) refusedFor(now time.Time) time.Duration {
	if s.Late == 0 {
		return 0
	}
	wait := lateWait
	for range s.Late - 1 {
		if wait *= 2; wait >= longLateWait {
			wait = longLateWait
			break
		}
	}
	left := s.LateAt.Add(wait).Sub(now)
	if left > 2*wait {
		return 0
	}
	return left
}

// DisconnectedLate is a seat after its device was disconnected for being late. Two
// nodes may find the same connection late: a seat that the gate still refuses
// cannot have another connection.
func (s Seat) DisconnectedLate(now time.Time) Seat {
	if s.refusedFor(now) <= 0 {
		s.Late, s.LateAt = s.Late+1, now
		s.ArrivingFor, s.ArrivingAt = 0, time.Time{}
	}
	return s
}

// Arriving is a seat after its device was seen with only its signalling, on a
// connection that began at since. The connection before this one counts until since,
// because nobody knows when it ended, but for ArriveGrace at most. Times that are far
// ahead of since are from before the clock was set back, and do not count.
func (s Seat) Arriving(since time.Time) Seat {
	if since.IsZero() {
		return s // it has no connection
	}
	if s.ArrivingAt.Sub(since) > arriveMost {
		s.ArrivingAt = time.Time{}
	}
	if s.LateAt.Sub(since) > arriveMost {
		s.LateAt = since.Add(-longLateWait)
	}
	if !since.After(s.ArrivingAt) || !since.After(s.LateAt) {
		return s // known, or disconnected for being late by now
	}
	switch before := since.Sub(s.ArrivingAt); {
	case s.ArrivingAt.IsZero():
	case before > arriveForgotten:
		s.ArrivingFor = 0
	default:
		s.ArrivingFor += min(before, ArriveGrace)
	}
	s.ArrivingAt = since
	return s
}

// ArriveBy returns when a device will be late that has had only its signalling since a
// moment.
func (s Seat) ArriveBy(since time.Time) time.Time {
	by := since.Add(ArriveGrace)
	s = s.Arriving(since)
	if most := s.ArrivingAt.Add(arriveMost - s.ArrivingFor); !s.ArrivingAt.IsZero() && most.Before(by) {
		return most
	}
	return by
}

// RefuseLate refuses a seat whose device was disconnected for being late, until
// the time to wait is over.
func (s Seat) RefuseLate(now time.Time) error {
	wait := s.refusedFor(now)
	if wait <= 0 {
		return nil
	}
	return &fault.Error{
		Kind: fault.RateLimited, Code: api.CodeRateLimited, RetryAfter: wait,
		Message: "Your last connection to this meeting did not come about in time. Wait a moment and connect again.",
	}
}

package live

import (
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// departure is a seat that is not in any more.
type departure struct {
	Seat   seat.Seat
	Reason string
	Status seat.Status
}

// miss handles a seat that was in and is not connected, and says whether it
// still counts as in.
func (o *outcome) miss(held seat.Seat, place roomSnapshot, now time.Time) bool {
	last, hinted := place.Left[held.Identity]
	if held.Moving() && last.JoinedAt.Before(held.PlacedAt) {
		// A late hint about the stay before the device was sent away from here, and
		// back. A device on its way may be missing for a moment, because the media
		// server lists one media room after the other.
		last, hinted = stay{}, false
	}
	goodbye := last.Goodbye || saidGoodbye(held, place.Goodbyes[held.Identity], now)
	if until := patience(held, place, goodbye, hinted, now); now.Before(until) {
		if since := missingSince(held, now); !since.Equal(held.MissingSince) {
			held.MissingSince = since
			o.Touched = append(o.Touched, held)
		}
		o.wakeAt(until)
		return true
	}
	d := departure{Seat: held, Reason: reasonDisconnected, Status: seat.Lost}
	if goodbye {
		d.Reason = reasonLeft
		// Our own interface tells the service when the person leaves. If there is
		// only a goodbye on the media connection, the page was closed or reloaded.
		if held.TicketHash == "" {
			d.Status = seat.Left
		}
	}
	o.Gone = append(o.Gone, d)
	return false
}

// syncAgain requests another Sync for a device that has said goodbye and is still
// connected: the gate hears a goodbye before the media server does. A device that is
// where it belongs, with its whole connection, needs no other Sync, because the media
// server will report its goodbye. About other devices it reports only that they are
// gone, and possibly to a node that did not hear the goodbye.
func (o *outcome) syncAgain(held seat.Seat, person seen, where string, place roomSnapshot, now time.Time) {
	reported := where == held.BreakoutID && !person.Half
	if !reported && saidGoodbye(held, place.Goodbyes[held.Identity], now) {
		o.wakeAt(now.Add(leaveTime))
	}
}

// saidGoodbye says whether the goodbye that the gate heard at a moment ends the
// seat's present connection, and is not one that a client sends after a failed
// attempt to come back.
func saidGoodbye(held seat.Seat, at, now time.Time) bool {
	if at.IsZero() || at.Before(held.LetThroughAt) || !now.Before(at.Add(goodbyeKept)) {
		return false
	}
	// Where the gate has not let the device in since it was sent here, the goodbye
	// ended an earlier stay.
	if held.Moving() && held.LetThroughAt.Before(held.PlacedAt) {
		return false
	}
	// A client that tries again and again to come back says goodbye at the end of
	// each attempt that failed. The media server reports a goodbye only for
	// attempts that succeeded.
	failed := !held.MissingSince.IsZero() && held.MissingSince.Before(held.LetThroughAt)
	return held.Moving() || !failed
}

// patience returns until when a seat counts as in without being connected.
func patience(held seat.Seat, place roomSnapshot, goodbye, hinted bool, now time.Time) time.Time {
	since := missingSince(held, now)
	connecting := earliest(held.LetThroughAt.Add(seat.ConnectGrace), since.Add(missingMost))
	switch {
	case held.Moving() && !goodbye:
		// Goodbyes to the old media room do not count; one to the new room says
		// that the device arrived and left before a Sync saw it.
		return latest(since.Add(moveTime), connecting)
	case goodbye:
		return now
	case now.Before(connecting):
		return connecting
	case held.Generation != place.Generation:
		// The media server lost the room with everybody in it. People come back
		// by themselves.
		return since.Add(restartGrace)
	case hinted:
		return now
	default:
		return since.Add(hintGrace)
	}
}

// missingSince returns since when a seat has not been connected: since now, if that is
// new or if the clock was set back.
func missingSince(held seat.Seat, now time.Time) time.Time {
	if held.MissingSince.IsZero() || held.MissingSince.After(now) {
		return now
	}
	return held.MissingSince
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

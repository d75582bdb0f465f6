package group

import (
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// arriveFor is how long a device that the gate let in counts as present without
// being in the meeting. Package live disconnects it after that.
const arriveFor = 20 * time.Second

// device is what is stored of a device in one place.
type device struct {
	RoomID     string
	Identity   string
	BreakoutID string // its place; "" is the main room
	LetInAt    time.Time
	DueAt      time.Time // when LetInAt stops counting; zero once that was noticed
	Added      bool      // to the group of the place
	AddedSeq   int64     // the commit that added it last to this group; the group's first number for its founder; 0: none did
	AddedAt    time.Time // when that was
	KeyPackage string    // "" when it does not wait to be added
	Hash       string    // of the key package
	Passed     int       // how many groups in a row ended here that had left it out

	RefusedGroup  string // a group that it cannot be in
	RefusedAuthor string // the device whose message it could not take; "" when none is known
	Barred        bar
}

// settled says whether a seat is in the meeting, in the media room where it belongs.
func settled(held seat.Seat) bool { return held.Status == seat.In && !held.Moving() }

// letIn is the device after the gate let it into the media room of its seat. A device
// that tries again and again without arriving gets no more time.
func (d device) letIn(held seat.Seat, now time.Time) device {
	if settled(held) || !d.LetInAt.IsZero() {
		return d
	}
	d.LetInAt, d.DueAt = now, now.Add(arriveFor)
	return d
}

// follow is the device after its seat may have changed. The next time it comes, it has
// all of arriveFor again, if it has been in the meeting.
func (d device) follow(held seat.Seat, now time.Time) device {
	if settled(held) {
		d.LetInAt, d.DueAt = time.Time{}, time.Time{}
	}
	if !now.Before(d.DueAt) {
		d.DueAt = time.Time{}
	}
	return d
}

// belongs says whether the seat still belongs in the place of the device, and may be
// used there.
func (d device) belongs(held seat.Seat) bool {
	return held.BreakoutID == d.BreakoutID && (held.Alive() || held.Status == seat.LetThrough)
}

// present says whether the device counts as being in the media room of its place: it
// is in the meeting there, or the gate let it in a moment ago.
func (d device) present(held seat.Seat, now time.Time) bool {
	switch {
	case !d.belongs(held):
		return false
	case settled(held):
		return true
	default:
		return !d.LetInAt.IsZero() && now.Before(d.LetInAt.Add(arriveFor))
	}
}

package group

import (
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func TestWhoIsPresent(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		status seat.Status
		moving bool
		place  string // of the seat; the device is in "one"
		letIn  time.Duration
		want   bool
	}{
		{"in the meeting", seat.In, false, "one", 0, true},
		{"in the meeting, let in long ago", seat.In, false, "one", -time.Hour, true},
		{"on the way, not let in yet", seat.In, true, "one", 0, false},
		{"on the way, and let in", seat.In, true, "one", -19999 * time.Millisecond, true},
		{"on the way for too long", seat.In, true, "one", -20 * time.Second, false},
		{"sent elsewhere", seat.In, true, "", -time.Second, false},
		{"there, but elsewhere", seat.In, false, "two", -time.Second, false},
		{"has a seat only", seat.LetThrough, false, "one", 0, false},
		{"let in for the first time", seat.LetThrough, false, "one", -time.Second, true},
		{"did not arrive", seat.LetThrough, false, "one", -20 * time.Second, false},
		{"lost", seat.Lost, false, "one", 0, false},
		{"lost, and let in again", seat.Lost, false, "one", -time.Second, true},
		{"left", seat.Left, false, "one", -time.Second, false},
		{"removed", seat.Removed, false, "one", -time.Second, false},
		{"the meeting is over", seat.Over, false, "one", -time.Second, false},
		{"knocks", seat.Waiting, false, "one", -time.Second, false},
		{"waits for a host", seat.Early, false, "one", -time.Second, false},
		{"denied", seat.Denied, false, "one", -time.Second, false},
		{"waited for too long", seat.Expired, false, "one", -time.Second, false},
	} {
		held := seat.Seat{Status: test.status, Place: seat.Place{BreakoutID: test.place, Generation: "1"}}
		if test.moving {
			held.Generation = ""
		}
		d := device{BreakoutID: "one"}
		if test.letIn != 0 {
			d.LetInAt = noon.Add(test.letIn)
		}
		if got := d.present(held, noon); got != test.want {
			t.Errorf("%s: present is %v", test.name, got)
		}
	}
}

// A device that comes again and again without arriving counts as present only the first
// time. After it was in the meeting, it may count as present once more.
func TestADeviceHasOneTimeToArrive(t *testing.T) {
	t.Parallel()
	coming := seat.Seat{Status: seat.LetThrough, Place: seat.Place{BreakoutID: "one"}}
	in := seat.Seat{Status: seat.In, Place: seat.Place{BreakoutID: "one", Generation: "1"}}
	lost := seat.Seat{Status: seat.Lost, Place: seat.Place{BreakoutID: "one", Generation: "1"}}
	d := device{BreakoutID: "one"}.letIn(coming, noon)
	if !d.present(coming, noon) || !d.DueAt.Equal(noon.Add(arriveFor)) {
		t.Errorf("let in: %+v", d)
	}
	late := noon.Add(arriveFor)
	if again := d.letIn(coming, late); again.present(coming, late) {
		t.Errorf("let in again: %+v", again)
	}
	if after := d.follow(coming, late); !after.DueAt.IsZero() || after.letIn(coming, late).present(coming, late) {
		t.Errorf("after its time: %+v", after)
	}
	if before := d.follow(coming, late.Add(-time.Millisecond)); before != d {
		t.Errorf("before its time is over: %+v", before)
	}
	arrived := d.follow(in, noon)
	if !arrived.LetInAt.IsZero() || !arrived.DueAt.IsZero() || arrived.letIn(in, noon) != arrived {
		t.Errorf("arrived: %+v", arrived)
	}
	if arrived.present(lost, noon) || !arrived.letIn(lost, noon).present(lost, noon) {
		t.Error("a device that was in the meeting is not present when it is let in again, or before")
	}
}

package live

import (
	"testing"
	"time"
)

// A full connection resets the count of late connections. Half a connection does
// not.
func TestAFullConnectionResetsTheLateCount(t *testing.T) {
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

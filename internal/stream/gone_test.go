package stream

import (
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// When everybody who waits is noted as away, because a node is gone, the streams before
// that room are woken, so that those who follow correct it at once.
func TestThoseWhoFollowAreWokenWhenAllAreNotedAsAway(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLine(t, d, 2)
		l.back(0)
		wake, cancel := l.Hub.Subscribe(lineTopic(testRoom))
		defer cancel()
		for _, want := range []bool{true, false} { // the second time it changes nothing
			if err := l.NobodyFollows(t.Context()); err != nil {
				t.Fatal(err)
			}
			woken := false
			select {
			case <-wake:
				woken = true
			default:
			}
			if woken != want || l.absent() != 2 {
				t.Errorf("woken is %v, want %v; %d of 2 are noted as away", woken, want, l.absent())
			}
		}
	})
}

package live

import (
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/seat"
)

const (
	// mostLost is how many people who came with the room's own link may be gone
	// without having said goodbye (docs/reference/meetings.md): as many as two large
	// meetings have, whose people all lose the network at once. Every Sync and every
	// reading of the people reads their seats, and strangers can come and vanish as
	// often as they like.
	mostLost = 1000
	// lostAtOnce bounds how many seats one Sync gives up. The next one goes on.
	lostAtOnce = 500
)

// abandon gives up seats when too many people are gone, beginning with those who left
// first. Hosts keep their seats, and so do people with a join link or a token.
func (o *outcome) abandon(gone []seat.Seat, now time.Time) {
	gone = slices.DeleteFunc(gone, func(s seat.Seat) bool {
		comes := now.Before(s.LetThroughAt.Add(seat.ArriveGrace))
		return s.Status != seat.Lost || s.Kind != seat.KindGuest && s.Kind != seat.KindUser || s.Directs() || comes
	})
	many := min(len(gone)-mostLost, lostAtOnce)
	if many <= 0 {
		return
	}
	slices.SortFunc(gone, func(a, b seat.Seat) int { return a.LeftAt.Compare(b.LeftAt) })
	for _, held := range gone[:many] {
		held.Status = seat.Left
		o.Touched = append(o.Touched, held)
	}
}

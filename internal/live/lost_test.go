package live

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// lostSeat is the seat of a guest who has been gone for a while.
func lostSeat(identity string, ago time.Duration) seat.Seat {
	return with(seatIn(identity), func(s *seat.Seat) {
		s.Kind, s.Status, s.LeftAt, s.LetThroughAt = seat.KindGuest, seat.Lost, noon.Add(-ago), noon.Add(-24*time.Hour)
	})
}

// Of the people who vanished, those who have been gone for longest give up their
// seats when too many have.
func TestOnlySoManyLostPeopleKeepTheirSeats(t *testing.T) {
	t.Parallel()
	crowd := func(n int) []seat.Seat {
		seats := []seat.Seat{seatIn("ada")}
		for i := range n {
			seats = append(seats, lostSeat(fmt.Sprintf("guest_%d", i), time.Hour+time.Duration(i)*time.Second))
		}
		return seats
	}
	longest := func(change func(*seat.Seat)) seat.Seat { return with(lostSeat("longest", 10*time.Hour), change) }
	for _, c := range []struct {
		name  string
		seats []seat.Seat
		want  []string
	}{
		{"as many as may", crowd(mostLost), nil},
		{"one too many", append(crowd(mostLost), longest(func(*seat.Seat) {})), []string{"longest"}},
		{"an account", append(crowd(mostLost), longest(func(s *seat.Seat) { s.Kind = seat.KindUser })), []string{"longest"}},
		{"a host", append(crowd(mostLost), longest(func(s *seat.Seat) { s.Role = api.RoleHost })), nil},
		{"a co-host", append(crowd(mostLost), longest(func(s *seat.Seat) { s.Cohost = true })), nil},
		{"a person with a token", append(crowd(mostLost), longest(func(s *seat.Seat) { s.Kind = seat.KindToken })), nil},
		{"a person with a link", append(crowd(mostLost), longest(func(s *seat.Seat) { s.Kind = seat.KindLink })), nil},
		{"one who is coming back", append(crowd(mostLost), longest(func(s *seat.Seat) { s.LetThroughAt = noon.Add(-time.Second) })), nil},
	} {
		o := planned(running(c.seats...), sees("g1", seen{Identity: "ada"}), noon)
		var gone []string
		for _, held := range o.Touched {
			if held.Status != seat.Left {
				t.Errorf("%s: %s is %s, want left", c.name, held.Identity, held.Status)
			}
			gone = append(gone, held.Identity)
		}
		if !slices.Equal(gone, c.want) || len(o.Gone) > 0 {
			t.Errorf("%s: %q give up their seats, want %q; %d leave", c.name, gone, c.want, len(o.Gone))
		}
	}
	if o := planned(running(crowd(mostLost+2*lostAtOnce)...), sees("g1", seen{Identity: "ada"}), noon); len(o.Touched) != lostAtOnce {
		t.Errorf("one Sync gives up %d seats, want %d", len(o.Touched), lostAtOnce)
	}
}

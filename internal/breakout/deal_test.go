package breakout

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// seatOf is the seat of a device with our own interface that is in.
func seatOf(identity string, changes ...func(*seat.Seat)) seat.Seat {
	s := seat.Seat{Holder: seat.Holder{Identity: identity, Name: seat.Person(identity), Role: api.RoleParticipant, TicketHash: "t"}, Status: seat.In, Place: seat.Place{Generation: "g"}}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func asHost(s *seat.Seat)   { s.Role = api.RoleHost }
func asCohost(s *seat.Seat) { s.Cohost = true }
func stock(s *seat.Seat)    { s.TicketHash = "" }
func lost(s *seat.Seat)     { s.Status = seat.Lost }

// inOrder does not shuffle: people are dealt in the order of their arrival.
func inOrder(int, func(i, j int)) {}

func TestDealing(t *testing.T) {
	t.Parallel()
	people := attendees([]seat.Seat{
		seatOf("host.1", asHost), seatOf("co.1", asCohost), seatOf("ada.1"), seatOf("ada.2"), seatOf("stock.1", stock), seatOf("gone.1", lost), seatOf("bob.1"), seatOf("cid.1"),
	})
	auto, manual, none := api.Set(assignAuto), api.Set(assignManual), api.Set(assignNone)
	placed := func(pairs ...any) (out []api.BreakoutPlacement) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, api.BreakoutPlacement{Participant: fmt.Sprint(pairs[i]), Room: pairs[i+1].(int)})
		}
		return out
	}
	for _, c := range []struct {
		name   string
		create api.BreakoutCreate
		want   map[string]int
	}{
		{"by default", api.BreakoutCreate{}, map[string]int{"ada": 0, "bob": 1, "cid": 0}},
		{"auto", api.BreakoutCreate{Assign: auto}, map[string]int{"ada": 0, "bob": 1, "cid": 0}},
		{"with the hosts", api.BreakoutCreate{IncludeHosts: api.Set(true)}, map[string]int{"host": 0, "co": 1, "ada": 0, "bob": 1, "cid": 0}},
		{"none", api.BreakoutCreate{Assign: none}, map[string]int{}},
		{"manual, nobody", api.BreakoutCreate{Assign: manual}, map[string]int{}},
		{"by participant id", api.BreakoutCreate{Assign: manual, Placements: placed("ada", 1)}, map[string]int{"ada": 1}},
		{"by a connection", api.BreakoutCreate{Assign: manual, Placements: placed("ada.2", 1)}, map[string]int{"ada": 1}},
		{"hosts as well", api.BreakoutCreate{Assign: manual, Placements: placed("host", 0, "co", 1)}, map[string]int{"host": 0, "co": 1}},
		{"the later of two placements", api.BreakoutCreate{Assign: manual, Placements: placed("ada", 0, "ada.1", 1)}, map[string]int{"ada": 1}},
		{"unknown people are ignored", api.BreakoutCreate{Assign: manual, Placements: placed("zoe", 0, "ada.9", 1, "bob", 1)}, map[string]int{"bob": 1}},
		{"people who are away are ignored", api.BreakoutCreate{Assign: manual, Placements: placed("gone", 0)}, map[string]int{}},
		{"clients that do not follow the stream are ignored", api.BreakoutCreate{Assign: manual, Placements: placed("stock", 0)}, map[string]int{}},
	} {
		if got := deal(schema.Filled(c.create), 2, people, inOrder); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// People can be moved if a device that is connected listens, or the device with
// which they come back.
func TestWhoListens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		seats []seat.Seat
		want  bool
	}{
		{"our own interface", []seat.Seat{seatOf("a.1")}, true},
		{"a stock client", []seat.Seat{seatOf("a.1", stock)}, false},
		{"one of each", []seat.Seat{seatOf("a.1", stock), seatOf("a.2")}, true},
		{"our own interface, away", []seat.Seat{seatOf("a.1", lost)}, true},
		{"a stock client, away", []seat.Seat{seatOf("a.1", stock, lost)}, false},
		{"one of each, away", []seat.Seat{seatOf("a.1", stock, lost), seatOf("a.2", lost)}, true},
		{"the one that listens is away", []seat.Seat{seatOf("a.1", lost), seatOf("a.2", stock)}, false},
		{"the one that listens came later, and is away", []seat.Seat{seatOf("a.1", stock), seatOf("a.2", lost)}, false},
		{"the other one is away", []seat.Seat{seatOf("a.1"), seatOf("a.2", stock, lost)}, true},
	} {
		if got := attendees(c.seats)[0].Listens; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// With any numbers of people and rooms everybody is dealt out, and the sizes of
// the rooms differ by one at most.
func TestDealingIsEven(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		var seats []seat.Seat
		for i := range n {
			seats = append(seats, seatOf(fmt.Sprintf("p%02d.x", i)))
		}
		for _, rooms := range []int{1, 2, 3, 7, 50} {
			dealt := deal(schema.Filled(api.BreakoutCreate{}), rooms, attendees(seats), dice.Shuffle)
			sizes := make([]int, rooms)
			for _, r := range dealt {
				sizes[r]++
			}
			if len(dealt) != n || slices.Max(sizes)-slices.Min(sizes) > 1 {
				t.Errorf("%d people in %d rooms: %v", n, rooms, sizes)
			}
		}
	}
}

// Everybody may come into every room, and about equally often. In 3,000 deals of
// six people to two rooms each person is in the first room 1,500 times, plus or
// minus five standard deviations of 27.
func TestDealingIsRandom(t *testing.T) {
	t.Parallel()
	var seats []seat.Seat
	for i := range 6 {
		seats = append(seats, seatOf(fmt.Sprintf("p%d.x", i)))
	}
	dice := rand.New(rand.NewPCG(3, 4))
	first := map[string]int{}
	for range 3000 {
		for id, r := range deal(schema.Filled(api.BreakoutCreate{}), 2, attendees(seats), dice.Shuffle) {
			if r == 0 {
				first[id]++
			}
		}
	}
	for i := range 6 {
		if n := first[fmt.Sprintf("p%d", i)]; n < 1500-135 || n > 1500+135 {
			t.Errorf("person %d was in the first room %d times of 3000", i, n)
		}
	}
}

func TestPlacementsThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		create api.BreakoutCreate
		param  string // "" when they are accepted
	}{
		{api.BreakoutCreate{Rooms: api.CountOrList[string]{Count: 2}, Assign: api.Set("manual"), Placements: []api.BreakoutPlacement{{Participant: "ada", Room: 1}}}, ""},
		{api.BreakoutCreate{Rooms: api.CountOrList[string]{Count: 2}, Assign: api.Set("manual"), Placements: []api.BreakoutPlacement{{Participant: "ada"}, {Participant: "bob", Room: 2}}}, "placements[1].room"},
		{api.BreakoutCreate{Rooms: api.CountOrList[string]{List: []string{"a"}}, Assign: api.Set("manual"), Placements: []api.BreakoutPlacement{{Participant: "ada", Room: 1}}}, "placements[0].room"},
		{api.BreakoutCreate{Rooms: api.CountOrList[string]{Count: 2}, Placements: []api.BreakoutPlacement{{Participant: "ada"}}}, "placements"},
		{api.BreakoutCreate{Rooms: api.CountOrList[string]{Count: 2}, Assign: api.Set("none"), Placements: []api.BreakoutPlacement{{Participant: "ada"}}}, "placements"},
	} {
		err := checkPlacements(schema.Filled(c.create))
		f, _ := fault.As(err)
		if (c.param == "") != (err == nil) || f != nil && f.Param != c.param {
			t.Errorf("%+v: %v, want a refusal of %q", c.create, err, c.param)
		}
	}
}

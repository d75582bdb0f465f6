package stream

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/seat"
)

var tenOClock = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

func seated(n int) seat.Seat {
	return seat.Seat{
		Holder: seat.Holder{Identity: fmt.Sprintf("guest_%03d.x", n), Name: fmt.Sprintf("Person %d", n), Role: api.RoleParticipant},
		Status: seat.In, JoinedAt: tenOClock.Add(time.Duration(n) * time.Second),
	}
}

func seatedUpTo(n int) []seat.Seat {
	in := make([]seat.Seat, n)
	for i := range in {
		in[i] = seated(i)
	}
	return in
}

func listed(t *testing.T, in []seat.Seat, before *roster) *roster {
	t.Helper()
	r, err := newRoster(in, before)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func decoded[T any](t *testing.T, text []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// changesSince reads the changes that a device with another list gets.
func changesSince(t *testing.T, r *roster, sum string) peopleChanged {
	t.Helper()
	return decoded[peopleChanged](t, r.since(sum))
}

// device keeps a list by applying the changes that it gets.
type device struct {
	revision string
	people   map[string]string // JSON, by identity
	at       map[string]time.Time
}

func (d *device) take(t *testing.T, c peopleChanged) {
	t.Helper()
	if c.Since == nil {
		d.people, d.at = map[string]string{}, map[string]time.Time{}
	} else if *c.Since != d.revision {
		t.Fatalf("the changes since %s were sent to a device with %s", *c.Since, d.revision)
	}
	for _, p := range c.Changed {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		d.people[p.Identity], d.at[p.Identity] = string(text), p.JoinedAt.Time
	}
	for _, identity := range c.Removed {
		delete(d.people, identity)
		delete(d.at, identity)
	}
	d.revision = c.Revision
}

func (d *device) list() string {
	var all []string
	for identity := range d.people {
		all = append(all, identity)
	}
	slices.SortFunc(all, func(a, b string) int {
		return seat.ByArrival(seat.Seat{Holder: seat.Holder{Identity: a}, JoinedAt: d.at[a]}, seat.Seat{Holder: seat.Holder{Identity: b}, JoinedAt: d.at[b]})
	})
	text := "["
	for i, identity := range all {
		if i > 0 {
			text += ","
		}
		text += d.people[identity]
	}
	return text + "]"
}

// People come, go and change in a random order, and devices read at random moments.
// Each of them always ends up with the same list as a device that takes the whole list.
func TestChangesLeadToTheWholeList(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	devices := make([]device, 8)
	var in []seat.Seat
	var r *roster
	short := 0
	for step := range 2000 {
		for range 1 + random.IntN(3) {
			n := random.IntN(40)
			at := slices.IndexFunc(in, func(s seat.Seat) bool { return s.Identity == seated(n).Identity })
			switch {
			case at < 0:
				in = append(in, seated(n))
			case random.IntN(3) == 0:
				in = slices.Delete(slices.Clone(in), at, at+1)
			case random.IntN(2) == 0:
				in = slices.Clone(in)
				in[at].JoinedAt = tenOClock.Add(time.Duration(random.IntN(100)) * time.Second)
			default:
				in = slices.Clone(in)
				in[at].HandRaisedAt = tenOClock.Add(time.Duration(random.IntN(2)*step) * time.Second)
			}
		}
		r = listed(t, in, r)
		for i := range devices {
			if random.IntN(1+i) > 0 {
				continue
			}
			c := changesSince(t, r, devices[i].revision)
			if c.Since != nil {
				short++
			}
			devices[i].take(t, c)
			if got := devices[i].list(); got != string(r.data) || devices[i].revision != r.sum {
				t.Fatalf("step %d: a device has %s, want %s", step, got, r.data)
			}
		}
	}
	if short < 1000 {
		t.Errorf("only %d times the changes were sent instead of the list", short)
	}
}

func TestAHandAmongFiveHundredIsShort(t *testing.T) {
	t.Parallel()
	in := seatedUpTo(500)
	before := listed(t, in, nil)
	in = slices.Clone(in)
	in[250].HandRaisedAt = tenOClock
	after := listed(t, in, before)
	text := after.since(before.sum)
	if len(text) > 1000 || len(after.data) < 100_000 {
		t.Errorf("%d bytes instead of %d", len(text), len(after.data))
	}
	if c := decoded[peopleChanged](t, text); len(c.Changed) != 1 || !c.Changed[0].HandRaised || len(c.Removed) != 0 {
		t.Errorf("sent %s", text)
	}
	if first, again := &after.since(before.sum)[0], &after.since(before.sum)[0]; first != again {
		t.Error("the changes are written for each device")
	}
}

// A device gets the whole list when the node does not know the one it has, or when the
// changes are longer.
func TestTheWholeListIsSentWhenChangesAreOfNoUse(t *testing.T) {
	t.Parallel()
	everybody := seatedUpTo(50)
	first := listed(t, everybody, nil)
	for _, sum := range []string{"", "nonsense", first.sum[:4]} {
		if c := changesSince(t, first, sum); c.Since != nil || len(c.Changed) != 50 || c.Revision != first.sum {
			t.Errorf("after %q it sent changes since %v with %d people", sum, c.Since, len(c.Changed))
		}
	}
	if n := len(first.written); n != 1 {
		t.Errorf("%d texts are kept for lists that nobody knows", n)
	}
	few := listed(t, everybody[:1], first)
	if c := changesSince(t, few, first.sum); c.Since != nil || len(c.Changed) != 1 {
		t.Errorf("49 of 50 left, and it sent changes since %v", c.Since)
	}
	none := listed(t, nil, few)
	if c := changesSince(t, none, ""); c.Since != nil || len(c.Changed) != 0 || c.Revision != none.sum {
		t.Errorf("for an empty list it sent %s", none.since(""))
	}
}

// When a list is read again and nothing that people see has changed, it is the same
// list.
func TestAReadingWithoutAVisibleChangeIsTheSameList(t *testing.T) {
	t.Parallel()
	in := seatedUpTo(3)
	first := listed(t, in, nil)
	in = slices.Clone(in)
	in[1].LetThroughAt, in[2].MissingSince = tenOClock, tenOClock
	again := listed(t, in, first)
	if again.sum != first.sum || len(again.steps) != 1 {
		t.Errorf("%d steps lead from %s to %s", len(again.steps), first.sum, again.sum)
	}
}

func TestAListRemembersALimitedNumberOfSteps(t *testing.T) {
	t.Parallel()
	in := seatedUpTo(30)
	var r *roster
	var sums []string
	for i := range mostSteps + 2 {
		in = slices.Clone(in)
		in[i%30].HandRaisedAt = tenOClock.Add(time.Duration(1+i) * time.Second)
		r = listed(t, in, r)
		sums = append(sums, r.sum)
	}
	if len(r.steps) != mostSteps {
		t.Errorf("%d steps are kept, want %d", len(r.steps), mostSteps)
	}
	if c := changesSince(t, r, sums[1]); c.Since != nil {
		t.Error("a list that is too old is still known")
	}
	if c := changesSince(t, r, sums[len(sums)-2]); c.Since == nil || len(c.Changed) != 1 {
		t.Errorf("there was one change, and it sent %d", len(c.Changed))
	}
}

// A device that claims older and older lists gets the changes since each of them. The node
// keeps the texts since the newest lists only, which devices that follow share.
func TestChangesSinceOldListsAreNotKept(t *testing.T) {
	t.Parallel()
	in := seatedUpTo(30)
	var r *roster
	var sums []string
	for i := range mostWritten + 10 {
		in = slices.Clone(in)
		in[i%30].HandRaisedAt = tenOClock.Add(time.Duration(1+i) * time.Second)
		r = listed(t, in, r)
		sums = append(sums, r.sum)
	}
	for i, sum := range sums {
		if c := changesSince(t, r, sum); c.Since == nil || *c.Since != sum || len(c.Changed) != min(len(sums)-1-i, 30) {
			t.Errorf("%d changes ago: %d people since %v", len(sums)-1-i, len(c.Changed), c.Since)
		}
	}
	changesSince(t, r, "nonsense")
	if n := len(r.written); n != mostWritten+1 {
		t.Errorf("%d texts are kept, want %d and the whole list", n, mostWritten)
	}
	oldest := sums[len(sums)-mostWritten]
	if first, again := &r.since(oldest)[0], &r.since(oldest)[0]; first != again {
		t.Errorf("the changes since the newest %d lists are written for each device", mostWritten)
	}
}

// BenchmarkRoster measures what a node does for a change in a list of 1,000 people,
// for all of its streams together.
func BenchmarkRoster(b *testing.B) {
	in := seatedUpTo(1000)
	r, err := newRoster(in, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		before := r.sum
		in[i%1000].HandRaisedAt = tenOClock.Add(time.Duration(i+1) * time.Millisecond)
		if r, err = newRoster(in, r); err != nil {
			b.Fatal(err)
		}
		r.since(before)
	}
}

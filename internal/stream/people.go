package stream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// mostSteps is how many changes of the list of people a node remembers for each
// room, for devices that come back. A thousand people who arrive within a minute are
// about as many changes as there are readings in that time.
const mostSteps = 1024

// mostWritten is for how many of its newest steps a list keeps the text that leads from
// there. Devices that follow are a few readings behind at most, and share those texts. A
// device may claim any older step. Were that text kept too, one device could make a node
// keep 1,024 of them for each list, and each may be as long as the list.
const mostWritten = 16

// personView is a person in the meeting.
type personView struct {
	Identity     string    `json:"identity"`
	Name         string    `json:"name"`
	Role         api.Role  `json:"role" enum:"host,participant"`
	Avatar       *string   `json:"avatar"`
	HandRaised   bool      `json:"hand_raised"`
	HandRaisedAt *api.Time `json:"hand_raised_at"`
	JoinedAt     api.Time  `json:"joined_at"`
	Cohost       bool      `json:"cohost"`
	OnStage      bool      `json:"on_stage"`
	BreakoutID   *string   `json:"breakout_id" doc:"The breakout room where they belong now; null: the main room."`
	SpotlitAt    *api.Time `json:"spotlit_at,omitempty" doc:"Since when a host shows them large to everybody; absent when none does."`
}

func personOf(s seat.Seat) personView {
	return personView{
		Identity: s.Identity, Name: s.Name, Role: s.RoleNow(), Avatar: api.TextOrNull(s.Avatar),
		HandRaised: !s.HandRaisedAt.IsZero(), HandRaisedAt: api.TimeOrNull(s.HandRaisedAt), JoinedAt: api.At(s.JoinedAt),
		Cohost: s.Cohost, OnStage: s.OnStage, BreakoutID: api.TextOrNull(s.BreakoutID),
		SpotlitAt: api.TimeOrNull(s.SpotlitAt),
	}
}

// peopleChanged is what leads from one list of people to another.
type peopleChanged struct {
	Since    *string      `json:"since" doc:"The revision of the list that this changes. Null: changed is the whole list."`
	Revision string       `json:"revision" doc:"Names the list to which this leads."`
	Changed  []personView `json:"changed" doc:"The people who came or changed, as they are now."`
	Removed  []string     `json:"removed" doc:"The identities of people who are not in the meeting any more."`
}

// roster is the list of the people in a meeting, and how it came about. It does not
// change; the next list is another roster.
type roster struct {
	part // the whole list

	people map[string]*person // by identity
	steps  []step             // oldest first; the last one led to this list

	mu      sync.Mutex
	written map[string][]byte // the changes since one of the newest lists, by its sum: most devices have the same one
}

// person is a person in the meeting, with their JSON.
type person struct {
	seat seat.Seat
	json []byte
}

// step is one change of the list.
type step struct {
	sum     string   // of the list to which it led
	touched []string // the identities of those who came, went or changed
}

// newRoster lists the people who are in. It encodes only the people who differ
// from the list before; before is nil at first.
func newRoster(in []seat.Seat, before *roster) (*roster, error) {
	if !slices.IsSortedFunc(in, seat.ByArrival) {
		in = slices.SortedFunc(slices.Values(in), seat.ByArrival)
	}
	next := &roster{people: make(map[string]*person, len(in)), written: map[string][]byte{}}
	var touched []string
	all := make([][]byte, 0, len(in))
	for _, s := range in {
		p, changed, err := before.person(s)
		if err != nil {
			return nil, err
		}
		if changed {
			touched = append(touched, s.Identity)
		}
		next.people[s.Identity] = p
		all = append(all, p.json)
	}
	next.part = partOf("people", slices.Concat([]byte("["), bytes.Join(all, []byte(",")), []byte("]")))
	if before == nil {
		next.steps = []step{{sum: next.sum}}
		return next, nil
	}
	for identity := range before.people {
		if _, there := next.people[identity]; !there {
			touched = append(touched, identity)
		}
	}
	next.steps = before.steps
	if next.sum != before.sum {
		kept := before.steps[max(0, len(before.steps)+1-mostSteps):]
		next.steps = slices.Concat(kept, []step{{next.sum, touched}})
	}
	return next, nil
}

// person returns a person with their JSON, and whether it differs from that on this
// list. It writes the JSON only if something about the seat changed.
func (r *roster) person(s seat.Seat) (p *person, changed bool, err error) {
	var before *person
	if r != nil {
		before = r.people[s.Identity]
	}
	if before != nil && before.seat == s {
		return before, false, nil
	}
	text, err := json.Marshal(personOf(s))
	if err != nil {
		return nil, false, fmt.Errorf("write a person: %w", err)
	}
	return &person{s, text}, before == nil || !bytes.Equal(text, before.json), nil
}

// asPart returns the list as a part that devices may get as changes.
func (r *roster) asPart() part {
	p := r.part
	p.since = r.since
	return p
}

// since returns the changes from the list with this sum to the present list, as the
// JSON of a peopleChanged. It has the whole list if the other one is not known, or if
// the changes are no shorter.
func (r *roster) since(sum string) []byte {
	from := len(r.steps) - 1
	for from >= 0 && r.steps[from].sum != sum {
		from--
	}
	switch {
	case from < 0:
		sum = "" // devices may claim anything
	case from < len(r.steps)-mostWritten:
		return r.changesAfter(from)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	text, known := r.written[sum]
	if !known {
		text = r.changesAfter(from)
		r.written[sum] = text
	}
	return text
}

// changesAfter writes what changed after a step; everything if it is negative.
func (r *roster) changesAfter(from int) []byte {
	whole := func() []byte { return changedText("null", r.sum, [][]byte{r.data[1 : len(r.data)-1]}, nil) }
	if from < 0 {
		return whole()
	}
	touched := map[string]bool{}
	for _, s := range r.steps[from+1:] {
		for _, identity := range s.touched {
			touched[identity] = true
		}
	}
	var changed []*person
	var removed [][]byte
	for identity := range touched {
		if p, there := r.people[identity]; there {
			changed = append(changed, p)
		} else {
			removed = append(removed, fmt.Appendf(nil, "%q", identity))
		}
	}
	slices.SortFunc(changed, func(a, b *person) int { return seat.ByArrival(a.seat, b.seat) })
	slices.SortFunc(removed, bytes.Compare)
	texts := make([][]byte, len(changed))
	for i, p := range changed {
		texts[i] = p.json
	}
	text := changedText(`"`+r.steps[from].sum+`"`, r.sum, texts, removed)
	if len(text) > len(r.data) {
		return whole()
	}
	return text
}

// changedText writes a peopleChanged from JSON that is written already.
func changedText(since, revision string, changed, removed [][]byte) []byte {
	comma := []byte(",")
	return fmt.Appendf(nil, `{"since":%s,"revision":"%s","changed":[%s],"removed":[%s]}`,
		since, revision, bytes.Join(changed, comma), bytes.Join(removed, comma))
}

package join

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// rules are the rules of docs/reference/joining.md, one line each.
func rules(r room.Room, c Coming, hostJoined bool) Reason {
	status := seat.Status("")
	if c.Seat != nil {
		status = c.Seat.Status
	}
	in := status == seat.In || status == seat.Lost
	waits := status == seat.Waiting || status == seat.Early
	byRoomLink := c.Kind == seat.KindGuest || c.Kind == seat.KindUser
	asked := byRoomLink && !c.Host && !c.Admitted                           // has to fulfil the room's settings
	stranger := asked && r.Settings.Access == "members" && !c.Member && !in // learns nothing of the room
	for _, rule := range []struct {
		when bool
		then Reason
	}{
		{r.Deleted(), Gone},
		{status == seat.Removed, RemovedFrom},
		{stranger && r.Settings.BeforeHost == "wait" && !hostJoined, BeforeHost},
		{stranger, MembersOnly},
		{r.Settings.Encryption == "strict" && !c.Strict, StrictEncryption},
		{in, Enter},
		{r.Locked && !waits, Locked},
		{asked && r.Settings.BeforeHost == "wait" && !hostJoined, BeforeHost},
		{asked && r.Settings.Access == "members" && !c.Member, MembersOnly},
		{asked && r.Settings.Admission == "knock", Knock},
		{r.Locked, Knock}, // nobody goes in: people who wait go on waiting
	} {
		if rule.when {
			return rule.then
		}
	}
	return Enter
}

var statuses = []seat.Status{
	"", seat.LetThrough, seat.In, seat.Lost, seat.Left, seat.Removed, seat.Over, seat.Waiting, seat.Early, seat.Denied, seat.Expired,
}

// comers returns all ways in which a person can come.
func comers() (all []Coming) {
	relations := map[seat.Kind][]Relation{
		seat.KindToken: {{}}, seat.KindLink: {{}}, seat.KindGuest: {{}},
		seat.KindUser: {{}, {Member: true}, {Member: true, Host: true}},
	}
	for kind, each := range relations {
		for _, relation := range each {
			for _, admitted := range []bool{false, true} {
				for _, status := range statuses {
					c := Coming{Kind: kind, Relation: relation, Admitted: admitted}
					if status != "" {
						c.Seat = &seat.Seat{Status: status, Holder: seat.Holder{Kind: kind}}
					}
					all = append(all, c)
					c.Strict = true
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// rooms returns rooms with all combinations of settings.
func rooms() (all []room.Room) {
	for n := range 1 << 6 {
		pick := func(bit int, no, yes string) string {
			if n>>bit&1 == 1 {
				return yes
			}
			return no
		}
		r := room.Room{Locked: n>>4&1 == 1, Settings: usual()}
		r.Settings.Access, r.Settings.Admission = pick(0, "link", "members"), pick(1, "direct", "knock")
		r.Settings.BeforeHost, r.Settings.Encryption = pick(2, "join", "wait"), pick(3, "standard", "strict")
		if n>>5&1 == 1 {
			r.DeletedAt = time.Unix(1, 0)
		}
		all = append(all, r)
	}
	return all
}

// The whole matrix: every room, every way to come there, and every status of a
// seat.
func TestDoor(t *testing.T) {
	t.Parallel()
	cases := 0
	for _, r := range rooms() {
		for _, c := range comers() {
			for _, hostJoined := range []bool{false, true} {
				cases++
				if got, want := Door(r, c, hostJoined), rules(r, c, hostJoined); got != want {
					t.Errorf("%s by %s %+v, seat %+v admitted=%v host joined=%v: %q, want %q",
						describe(r), c.Kind, c.Relation, c.Seat, c.Admitted, hostJoined, got, want)
				}
			}
		}
	}
	if want := 64 * 6 * 2 * len(statuses) * 2 * 2; cases != want {
		t.Errorf("%d cases were tried, not %d", cases, want)
	}
}

func describe(r room.Room) string {
	s := r.Settings
	return fmt.Sprintf("%s %s %s %s locked=%v deleted=%v", s.Access, s.Admission, s.BeforeHost, s.Encryption, r.Locked, r.Deleted())
}

// The same rules as a table by role, written by hand.
func TestWhoMayEnter(t *testing.T) {
	t.Parallel()
	guest := Coming{Kind: seat.KindGuest}
	outsider := Coming{Kind: seat.KindUser}
	member := Coming{Kind: seat.KindUser, Relation: Relation{Member: true}}
	host := Coming{Kind: seat.KindUser, Relation: Relation{Member: true, Host: true}}
	link := Coming{Kind: seat.KindLink}
	for _, test := range []struct {
		settings                            string // access admission before_host, and locked
		guest, outsider, member, host, link Reason
	}{
		{"link direct join", Enter, Enter, Enter, Enter, Enter},
		{"link direct wait", BeforeHost, BeforeHost, BeforeHost, Enter, Enter},
		{"link knock join", Knock, Knock, Knock, Enter, Enter},
		{"link knock wait", BeforeHost, BeforeHost, BeforeHost, Enter, Enter},
		{"members direct join", MembersOnly, MembersOnly, Enter, Enter, Enter},
		{"members direct wait", BeforeHost, BeforeHost, BeforeHost, Enter, Enter},
		{"members knock join", MembersOnly, MembersOnly, Knock, Enter, Enter},
		{"members knock wait", BeforeHost, BeforeHost, BeforeHost, Enter, Enter},
		{"link direct join locked", Locked, Locked, Locked, Locked, Locked},
		{"members knock join locked", MembersOnly, MembersOnly, Locked, Locked, Locked},
		{"members knock wait locked", BeforeHost, BeforeHost, Locked, Locked, Locked},
	} {
		words := strings.Fields(test.settings)
		r := room.Room{Settings: usual(), Locked: len(words) > 3}
		r.Settings.Access, r.Settings.Admission, r.Settings.BeforeHost = words[0], words[1], words[2]
		got := []Reason{Door(r, guest, false), Door(r, outsider, false), Door(r, member, false), Door(r, host, false), Door(r, link, false)}
		want := []Reason{test.guest, test.outsider, test.member, test.host, test.link}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", test.settings, got, want)
		}
	}
}

// The reason why a stranger waits or is refused tells nothing about a room for
// members.
func TestReasonsTellStrangersNothingOfARoomForMembers(t *testing.T) {
	t.Parallel()
	for _, r := range rooms() {
		for _, c := range comers() {
			for _, hostJoined := range []bool{false, true} {
				shown := c.shown(r, Door(r, c, hostJoined))
				stranger := r.Settings.Access == "members" && !c.Member && !c.Admitted && (c.Kind == seat.KindGuest || c.Kind == seat.KindUser) &&
					(c.Seat == nil || !c.Seat.Alive())
				if !stranger {
					if want := Door(r, c, hostJoined); shown != want && (c.Seat == nil || c.Seat.Status != seat.Removed) {
						t.Errorf("%s by %s %+v, seat %+v: %q is shown, want %q", describe(r), c.Kind, c.Relation, c.Seat, shown, want)
					}
					continue
				}
				removed := c.Seat != nil && c.Seat.Status == seat.Removed
				want := MembersOnly
				if r.Deleted() {
					want = Gone
				} else if removed {
					want = RemovedFrom
				}
				if shown != want || !c.stranger(r) {
					t.Errorf("%s by a stranger, a %s, seat %+v, host joined=%v: %q is shown, want %q", describe(r), c.Kind, c.Seat, hostJoined, shown, want)
				}
			}
		}
	}
}

func TestEveryRefusalSaysWhy(t *testing.T) {
	t.Parallel()
	for _, r := range []Reason{Gone, RemovedFrom, Locked, StrictEncryption, MembersOnly, Knock, BeforeHost, NotLetIn} {
		if r.sentence() == "" || r.refusal() == nil {
			t.Errorf("%s has no sentence", r)
		}
	}
	if Enter.refusal() != nil {
		t.Error("entering is refused")
	}
}

package seat

import (
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
)

func TestWhoMayChangeTheirName(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	standard := room.Room{Settings: api.RoomSettings{Encryption: "standard"}}
	strict := room.Room{Settings: api.RoomSettings{Encryption: "strict"}}
	own, given := Holder{Kind: KindGuest, OwnName: true}, Holder{Kind: KindLink}
	for name, c := range map[string]struct {
		seat Seat
		room room.Room
		may  bool
		code string // "" when a change is allowed now
	}{
		"a guest":                        {Seat{Holder: own}, standard, true, ""},
		"an account without a name":      {Seat{Holder: Holder{Kind: KindUser, OwnName: true}}, standard, true, ""},
		"an account":                     {Seat{Holder: Holder{Kind: KindUser}}, standard, false, api.CodeCannotRename},
		"a join link":                    {Seat{Holder: given}, standard, false, api.CodeCannotRename},
		"a media token":                  {Seat{Holder: Holder{Kind: KindToken}}, standard, false, api.CodeCannotRename},
		"a strict room":                  {Seat{Holder: own}, strict, false, api.CodeCannotRename},
		"just changed":                   {Seat{Holder: own, RenamedAt: now}, standard, true, api.CodeRateLimited},
		"changed a moment too short ago": {Seat{Holder: own, RenamedAt: now.Add(time.Millisecond - 5*time.Second)}, standard, true, api.CodeRateLimited},
		"changed long enough ago":        {Seat{Holder: own, RenamedAt: now.Add(-5 * time.Second)}, standard, true, ""},
	} {
		if may := c.seat.May(c.room).Rename; may != c.may {
			t.Errorf("%s: may rename is %v, want %v", name, may, c.may)
		}
		got := ""
		if refusal, ok := fault.As(c.seat.RefuseRename(c.room, now)); ok {
			got = refusal.Code
		}
		if got != c.code {
			t.Errorf("%s: refused with %q, want %q", name, got, c.code)
		}
	}
}

// A device takes the name that the person took in the meeting on another one.
func TestANewNameFollowsThePerson(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	coming := Seat{Holder: Holder{Identity: "user_a.2", Kind: KindUser, Name: "Phone", OwnName: true}, Status: LetThrough}
	other := Seat{Holder: Holder{Identity: "user_a.1", Kind: KindUser, Name: "Laptop", OwnName: true}, Status: In}
	changed := other.Renamed("Ada", now)
	over := changed
	over.Status = Over
	named := coming
	named.OwnName = false // the account has a name now
	for name, c := range map[string]struct {
		seat  Seat
		other Seat
		want  string
	}{
		"never changed":                       {coming, other, "Phone"},
		"changed":                             {coming, changed, "Ada"},
		"changed here, later":                 {coming.Renamed("Eve", now.Add(time.Second)), changed, "Eve"},
		"in another meeting":                  {coming, over, "Phone"},
		"a name that is not theirs to change": {named, changed, "Phone"},
	} {
		if got := c.seat.Inheriting([]Seat{c.other}, now).Name; got != c.want {
			t.Errorf("%s: called %q, want %q", name, got, c.want)
		}
	}
}

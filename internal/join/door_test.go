package join

import (
	"fmt"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/live"
	"github.com/conclave-rooms/conclave/internal/room"
)

// The whole matrix: every room a person can come to, every way they can come,
// and every state their seat can be in. want says in one line each what
// docs/reference/joining.md says in sentences.
func TestDoor(t *testing.T) {
	t.Parallel()
	want := func(r room.Room, seat *live.Seat, kind live.Kind, hostJoined bool) Reason {
		status, admitted := live.Status(""), false
		if seat != nil {
			status, admitted = seat.Status, seat.Admitted
		}
		own := kind == live.KindGuest && !admitted
		waits := status == live.Waiting || status == live.Early
		in := status == live.In || status == live.Lost
		for _, rule := range []struct {
			when bool
			then Reason
		}{
			{r.Deleted(), Gone},
			{status == live.Removed, RemovedFrom},
			{r.Settings.Encryption == "strict", StrictEncryption},
			{in, Enter},
			{r.Locked && !waits, Locked},
			{own && r.Settings.BeforeHost == "wait" && !hostJoined, BeforeHost},
			{own && r.Settings.Access == "members", MembersOnly},
			{own && r.Settings.Admission == "knock", Knock},
			{r.Locked, Knock}, // nobody goes in: whoever waits keeps waiting
		} {
			if rule.when {
				return rule.then
			}
		}
		return Enter
	}
	cases := 0
	for _, access := range []string{"link", "members"} {
		for _, admission := range []string{"direct", "knock"} {
			for _, before := range []string{"join", "wait"} {
				for _, encryption := range []string{"standard", "strict"} {
					for _, locked := range []bool{false, true} {
						for _, deleted := range []bool{false, true} {
							for _, status := range []live.Status{
								"", live.New, live.In, live.Lost, live.Left, live.Removed, live.Over, live.Waiting, live.Early, live.Denied, live.Expired,
							} {
								for _, admitted := range []bool{false, true} {
									for _, kind := range []live.Kind{live.KindToken, live.KindLink, live.KindGuest} {
										for _, hostJoined := range []bool{false, true} {
											r := room.Room{Locked: locked, Settings: room.DefaultSettings()}
											r.Settings.Access, r.Settings.Admission = access, admission
											r.Settings.BeforeHost, r.Settings.Encryption = before, encryption
											if deleted {
												r.DeletedAt = time.Unix(1, 0)
											}
											var seat *live.Seat
											if status != "" {
												seat = &live.Seat{Status: status, Admitted: admitted}
											}
											name := fmt.Sprintf("%s %s %s %s locked=%v deleted=%v seat=%q admitted=%v by %s host=%v",
												access, admission, before, encryption, locked, deleted, status, admitted, kind, hostJoined)
											if got := Door(r, seat, kind, hostJoined); got != want(r, seat, kind, hostJoined) {
												t.Errorf("%s: %q, want %q", name, got, want(r, seat, kind, hostJoined))
											}
											cases++
										}
									}
								}
							}
						}
					}
				}
			}
		}
	}
	if cases != 2*2*2*2*2*2*11*2*3*2 {
		t.Errorf("%d cases were tried, which is not all of them", cases)
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

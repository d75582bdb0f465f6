package live_test

import (
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Ben has signalling and makes no media connection: nobody is shown that he is
// there. He is put out after 20 seconds; asking at the gate for another
// connection meanwhile, which he does not make, gives him no more.
func TestNobodyStaysOnSignallingAlone(t *testing.T) {
	t.Parallel()
	ada := withAda(t, servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}), api.RoomSettingsUpdate{})
	token := ada.tokenFor(t, "Ben")
	upstream, ben, err := ada.Joins.Admit(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ada.Media.Arrive(upstream); err != nil {
		t.Fatal(err)
	}
	ada.Tick()
	for range 19 {
		ada.Advance(time.Second)
		if _, _, err := ada.Joins.Admit(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if people := ada.people(t); len(people) != 1 {
		t.Errorf("with Ben on signalling alone, in are %v", people)
	}
	if _, err := ada.Media.Grant(ada.roomID, ben.Identity); err != nil {
		t.Errorf("before 20 seconds are over Ben is put out: %v", err)
	}
	ada.Advance(time.Second)
	if _, err := ada.Media.Grant(ada.roomID, ben.Identity); err == nil {
		t.Error("after 20 seconds Ben is still there")
	}
	if _, _, err := ada.Joins.Admit(t.Context(), token); !fault.HasCode(err, api.CodeRateLimited) {
		t.Errorf("put out for being late, he is let through at once: %v", err)
	}
	ada.Advance(10 * time.Second)
	ada.connect(t, token) // with a media connection he comes in
	if people := ada.people(t); len(people) != 2 {
		t.Errorf("in are %v, want Ada and Ben", people)
	}
}

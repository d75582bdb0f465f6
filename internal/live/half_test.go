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

// Ben has signalling and makes no media connection, so he is not listed. He is
// disconnected after 20 seconds, even if he asks the gate for another connection
// in the meantime and does not make it.
func TestADeviceWithOnlySignallingIsDisconnected(t *testing.T) {
	t.Parallel()
	ada := withAda(t, servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}), api.RoomSettingsUpdate{})
	token := ada.tokenFor(t, "Ben")
	upstream, ben, err := ada.Joins.LetThrough(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ada.Media.Arrive(upstream); err != nil {
		t.Fatal(err)
	}
	ada.Tick()
	for range 19 {
		ada.Advance(time.Second)
		if _, _, err := ada.Joins.LetThrough(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if people := ada.people(t); len(people) != 1 {
		t.Errorf("while Ben has only signalling, the list is %v", people)
	}
	if _, err := ada.Media.Grant(ada.roomID, ben.Identity); err != nil {
		t.Errorf("Ben is disconnected before 20 seconds are over: %v", err)
	}
	ada.Advance(time.Second)
	if _, err := ada.Media.Grant(ada.roomID, ben.Identity); err == nil {
		t.Error("after 20 seconds Ben is still connected")
	}
	if _, _, err := ada.Joins.LetThrough(t.Context(), token); !fault.HasCode(err, api.CodeRateLimited) {
		t.Errorf("after being disconnected for being late, he is let through at once: %v", err)
	}
	ada.Advance(10 * time.Second)
	ada.connect(t, token) // with a media connection he comes in
	if people := ada.people(t); len(people) != 2 {
		t.Errorf("the list is %v, want Ada and Ben", people)
	}
}

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

// Cy has a new connection with only signalling every 15 seconds, so that none is late.
// After 45 seconds he is refused, also by a service that was started again.
func TestADeviceThatConnectsAgainAndAgainIsLate(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		ada := withAda(t, servertest.Start(t, where, servertest.Options{}), api.RoomSettingsUpdate{})
		token := ada.tokenFor(t, "Cy")
		for attempt := range 3 {
			if _, err := ada.arrive(t, token); err != nil {
				t.Fatalf("attempt %d: %v", attempt+1, err)
			}
			for second := range 15 {
				if attempt == 1 && second == 7 {
					ada.Stop()
					ada.Reopen()
				}
				ada.Advance(time.Second)
			}
		}
		if _, err := ada.arrive(t, token); !fault.HasCode(err, api.CodeRateLimited) {
			t.Errorf("after 45 seconds with only signalling, Cy is let through: %v", err)
		}
		ada.Advance(10 * time.Second)
		ada.connect(t, token) // with a media connection he comes in
		if people := ada.people(t); len(people) != 2 {
			t.Errorf("the list is %v, want Ada and Cy", people)
		}
	})
}

// Cy's first attempt fails, and the second one takes as long as one may.
func TestASecondAttemptHasItsWholeTime(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		ada := withAda(t, servertest.Start(t, where, servertest.Options{}), api.RoomSettingsUpdate{})
		token := ada.tokenFor(t, "Cy")
		for _, seconds := range []int{16, 19} {
			cy, err := ada.arrive(t, token)
			if err != nil {
				t.Fatal(err)
			}
			for range seconds {
				ada.Advance(time.Second)
			}
			if _, err := ada.Media.Grant(ada.roomID, cy); err != nil {
				t.Errorf("Cy was disconnected during %d seconds: %v", seconds, err)
			}
		}
		ada.connect(t, token)
		if people := ada.people(t); len(people) != 2 {
			t.Errorf("the list is %v, want Ada and Cy", people)
		}
	})
}

package live_test

import (
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Ben makes half of a connection: he could speak, or listen, and nobody is shown
// that he is there. He is put out after half a minute; asking at the gate for
// another connection meanwhile, which he does not make, gives him no more.
func TestNobodyStaysOnHalfAConnection(t *testing.T) {
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
	for range 29 {
		ada.Advance(time.Second)
		if _, _, err := ada.Joins.Admit(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	if people := ada.people(t); len(people) != 1 {
		t.Errorf("with Ben on half a connection, in are %v", people)
	}
	if _, err := ada.Media.Grant(ada.roomID, ben.Identity); err != nil {
		t.Errorf("before half a minute is over Ben is put out: %v", err)
	}
	ada.Advance(time.Second)
	if _, err := ada.Media.Grant(ada.roomID, ben.Identity); err == nil {
		t.Error("after half a minute Ben is still there")
	}
	ada.connect(t, token) // with all of it he comes in
	if people := ada.people(t); len(people) != 2 {
		t.Errorf("in are %v, want Ada and Ben", people)
	}
}

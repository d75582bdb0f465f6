package recording_test

import (
	"net/http"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/recording"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// The row of a wrapped key contains the account that made it, so that a key that cannot
// be opened can be traced to that account.
func TestAWrapSaysWhoMadeIt(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s, key, roomID := withRoom(t, where, servertest.Options{})
		if a := s.Send(servertest.Request{
			Method: http.MethodPatch, Path: "/api/v1/rooms/" + roomID, Bearer: key, Body: `{"settings": {"recordings": "end_to_end"}}`,
		}); a.Status != http.StatusOK {
			t.Fatalf("the setting: %d %s", a.Status, a.Body)
		}
		account, err := s.Identity.AccountByEmail(t.Context(), "owner@acme.example")
		if err != nil {
			t.Fatal(err)
		}
		wrapFor := func(name string) []recording.Wrap {
			d, err := s.Recordings.Register(t.Context(), account.ID, name, newKey(t))
			if err != nil {
				t.Fatal(err)
			}
			return []recording.Wrap{{DeviceID: d.ID, Enc: newKey(t), Ciphertext: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4v"}}
		}
		laptop := wrapFor("Laptop")
		u := s.RecordEndToEnd(key, roomID)
		if _, err := s.Recordings.Wrap(t.Context(), u.ID, u.Secret, laptop); err != nil {
			t.Fatal(err)
		}
		if n := s.Count("recording_wrap WHERE made_by IS NULL AND device_id = $1", laptop[0].DeviceID); n != 1 {
			t.Errorf("%d wraps are of a host without an account, want 1", n)
		}
		phone := wrapFor("Phone")
		if err := s.Recordings.Share(t.Context(), account.ID, u.ID, phone); err != nil {
			t.Fatal(err)
		}
		if n := s.Count("recording_wrap WHERE made_by = $1 AND device_id = $2", account.ID, phone[0].DeviceID); n != 1 {
			t.Errorf("%d wraps are the member's, want 1", n)
		}
	})
}

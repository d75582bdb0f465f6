package live_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Meetings are remembered for thirty days after they ended. A running meeting is
// remembered however long it runs.
func TestOldMeetingsAreForgotten(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := newCompany(t, where)
		want := func(when string, meetings int) {
			t.Helper()
			s.Forget()
			if n := s.Count("live_meeting"); n != meetings {
				t.Errorf("%s %d meetings are remembered, want %d", when, n, meetings)
			}
		}
		long, short := s.meeting("Long"), s.meeting("Short")
		s.post("/api/v1/rooms/"+short.ID+"/end", s.key, "", &struct{}{})
		s.Advance(30 * 24 * time.Hour)
		want("thirty days after the end", 2)
		s.Advance(time.Second)
		want("a second later", 1)
		if n := s.Count(`live_meeting WHERE room_id = $1 AND ended_at IS NULL`, long.ID); n != 1 {
			t.Errorf("%d meetings run, want 1", n)
		}
	})
}

// The passphrase of a room is deleted with the room.
func TestThePassphraseGoesWithItsRoom(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := newCompany(t, where)
		kept, doomed := s.meeting("Kept"), s.meeting("Doomed")
		if a := s.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/rooms/" + doomed.ID, Bearer: s.key}); a.Status != http.StatusOK {
			t.Fatalf("delete a room: %d %s", a.Status, a.Body)
		}
		for roomID, want := range map[string]int{kept.ID: 1, doomed.ID: 0} {
			if n := s.Count(`live_room WHERE room_id = $1 AND passphrase <> ''`, roomID); n != want {
				t.Errorf("the room %s has %d passphrases, want %d", roomID, n, want)
			}
		}
	})
}

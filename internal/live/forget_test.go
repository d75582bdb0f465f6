package live_test

import (
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
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

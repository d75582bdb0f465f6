package live_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Guests come in and vanish, more than a meeting remembers. Those who have been gone
// for longest join again like others, and nobody is refused.
func TestManyGuestsVanish(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		c := newCompany(t, where)
		r := c.meeting("Open")
		vanish(t, c, r, 1003)
		c.Tick()
		if lost, left := c.Count("seat WHERE status = 'lost'"), c.Count("seat WHERE status = 'left'"); lost != 1000 || left != 3 {
			t.Errorf("%d people may come back, and %d have left; want 1,000 and 3", lost, left)
		}
		for ticket, known := range map[string]bool{"ticket 2": false, "ticket 3": true, "": false} {
			joined := c.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/token", Bearer: ticket})
			if (joined.Status == http.StatusOK) != known {
				t.Errorf("%q: a new token is answered %d %s, want one: %v", ticket, joined.Status, joined.Body, known)
			}
			again := c.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/join", Bearer: ticket, Body: fmt.Sprintf(`{"code": %q, "name": "Gus"}`, r.Code)})
			if again.Status != http.StatusOK {
				t.Errorf("%q: joining again is answered %d %s", ticket, again.Status, again.Body)
			}
		}
	})
}

// vanish adds guests who were in a meeting and are gone, one second after the other.
func vanish(t *testing.T, c *company, r api.Room, n int) {
	t.Helper()
	err := c.DB().Write(t.Context(), func(tx *db.Tx) error {
		m, err := seat.RunningMeeting(t.Context(), tx, r.ID)
		if err != nil {
			return err
		}
		begin := c.Now().Add(-time.Hour)
		for i := range n {
			held := seat.Seat{
				Holder: seat.Holder{Identity: fmt.Sprintf("guest_%d.x", i), Kind: seat.KindGuest, Name: "Gus", Role: api.RoleParticipant, TicketHash: seat.TicketHash(fmt.Sprintf("ticket %d", i))},
				RoomID: r.ID, WorkspaceID: r.WorkspaceID, MeetingID: m.ID, Status: seat.Lost,
				Connection: seat.Connection{LetThroughAt: begin}, CreatedAt: begin, JoinedAt: begin, LeftAt: begin.Add(time.Duration(i) * time.Second),
			}
			if err := seat.Save(t.Context(), tx, held); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

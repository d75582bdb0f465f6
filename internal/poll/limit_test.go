package poll_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// mostListed is the limit of polls in a room that docs/reference/polls.md states.
const mostListed = 500

// fill creates polls until the room's list has n.
func (m *meeting) fill(n int) {
	m.t.Helper()
	err := m.DB().Write(m.t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(m.t.Context(), `
			INSERT INTO poll (id, room_id, workspace_id, question, kind, anonymous, results, status, created_by, created_at)
			WITH RECURSIVE made (n) AS (SELECT COUNT(*) + 1 FROM poll WHERE room_id = $1 UNION ALL SELECT n + 1 FROM made WHERE n < $2)
			SELECT 'poll ' || made.n, p.room_id, p.workspace_id, p.question, p.kind, p.anonymous, p.results, p.status, p.created_by, p.created_at
			FROM made, poll p WHERE p.id = $3`, m.room.ID, n, m.poll.ID)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// The list of a room's polls has a limit, the same for keys and for hosts in the
// meeting. Polls that were deleted, or asked 24 hours ago, no longer count.
func TestARoomHasALimitOfPolls(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		m := start(t, where, openly)
		var link struct{ URL string }
		m.ask(m.Service, http.MethodPost, "/api/v1/rooms/"+m.room.ID+"/join-links", m.key, `{"name": "Grace", "role": "host"}`, &link)
		_, secret, _ := strings.Cut(link.URL, "#join=")
		host := m.enter(fmt.Sprintf(`{"code": %q, "join_secret": %q}`, m.room.Code, secret))
		asks := func(who, path, bearer string, status int) {
			t.Helper()
			a := m.Send(servertest.Request{Method: http.MethodPost, Path: path, Bearer: bearer, Body: openly})
			if a.Status != status || status == http.StatusConflict && a.Code() != api.CodeLimitReached {
				t.Errorf("%s asks: %d %s; want %d", who, a.Status, a.Body, status)
			}
		}
		key := func(status int) { t.Helper(); asks("a key", "/api/v1/rooms/"+m.room.ID+"/polls", m.key, status) }
		grace := func(status int) { t.Helper(); asks("a host", "/meet/v1/polls", host, status) }

		m.fill(mostListed - 1)
		key(http.StatusCreated)
		key(http.StatusConflict)
		grace(http.StatusConflict)

		// A deleted poll frees a place, and only one.
		m.ask(m.Service, http.MethodDelete, "/api/v1/polls/"+m.poll.ID, m.key, "", &struct{}{})
		grace(http.StatusOK)
		grace(http.StatusConflict)

		// Other rooms have lists of their own.
		var other api.Room
		m.ask(m.Service, http.MethodPost, "/api/v1/rooms", m.key, `{"name": "Elsewhere"}`, &other)
		asks("a key elsewhere", "/api/v1/rooms/"+other.ID+"/polls", m.key, http.StatusCreated)

		m.Advance(24 * time.Hour)
		key(http.StatusCreated)
	})
}

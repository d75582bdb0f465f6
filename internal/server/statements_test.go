package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// asking is a service that counts its statements.
type asking struct {
	*server.Server

	p     auth.Principal
	room  room.Room
	key   string
	asked atomic.Int64
}

func count(t *testing.T, where db.Config) *asking {
	t.Helper()
	c := &asking{}
	c.Server, c.p, c.room = servertest.Bare(t, where, server.Options{Media: fake.New(time.Now), Asked: c.count})
	var err error
	if c.key, _, err = c.Identity.CreateKey(t.Context(), identity.KeyRequest{WorkspaceID: c.p.WorkspaceID, Scopes: api.Scopes()}); err != nil {
		t.Fatal(err)
	}
	return c
}

// count counts a statement, unless it reads a key: keys are remembered for half a second,
// and a request may come later.
func (c *asking) count(statement string) {
	if !strings.Contains(statement, "FROM api_key") {
		c.asked.Add(1)
	}
}

// during counts the statements of what do does.
func (c *asking) during(do func()) int64 {
	before := c.asked.Load()
	do()
	return c.asked.Load() - before
}

// send sends a request, and expects a status.
func (c *asking) send(t *testing.T, status int, method, path, body string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+c.key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, r)
	if w.Code != status {
		t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
}

// token makes a media token for a new person.
func (c *asking) token(t *testing.T) string {
	t.Helper()
	made, err := c.Joins.CreateToken(t.Context(), c.p, c.room.ID, api.TokenCreate{Name: "Ada", Role: api.Set("participant")})
	if err != nil {
		t.Fatal(err)
	}
	return made.Token
}

// The everyday requests of a customer's server, and a join, ask the database as often as
// they have to.
func TestEverydayRequestsAskTheDatabaseSeldom(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		c := count(t, where)
		address := "/api/v1/rooms/" + c.room.ID
		get := func() { c.send(t, http.StatusOK, http.MethodGet, address, "") }
		token := func() { c.send(t, http.StatusCreated, http.MethodPost, address+"/tokens", `{"name": "Ada"}`) }
		get()
		token()
		stock, traded := c.token(t), c.token(t)
		trade := func() {
			if _, err := c.Joins.Trade(t.Context(), traded); err != nil {
				t.Fatal(err)
			}
		}
		enter := func(token string) func() {
			return func() {
				if _, _, err := c.Joins.LetThrough(t.Context(), token); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, one := range []struct {
			name string
			do   func()
			most int64
		}{
			{"to get a room", get, 1},                                              // the room
			{"to make a token", token, 1},                                          // the room, with its passphrase
			{"to let a stock client in", enter(stock), 5},                          // the room, the person's seats, the seat, the devices of strict rooms, the revision
			{"to let it in again", enter(stock), 3},                                // the room, the person's seats, the seat
			{"to trade a token for a ticket", trade, 7},                            // as the first, the person's place, and the passphrase
			{"to let the holder of a ticket in", enter(traded), 3},                 // the room, the person's seats, the seat
			{"to say that they may come in", func() { mayEnter(t, c, traded) }, 2}, // the room, the person's seats
		} {
			if asked := c.during(one.do); asked != one.most {
				t.Errorf("%s takes %d statements, want %d", one.name, asked, one.most)
			}
		}
	})
}

func mayEnter(t *testing.T, c *asking, token string) {
	t.Helper()
	if err := c.Joins.WouldLetThrough(t.Context(), token); err != nil {
		t.Fatal(err)
	}
}

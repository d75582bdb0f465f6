package server_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// limitedGate is a service with rate limits, used at the gate.
type limitedGate struct {
	*servertest.Service
	t    *testing.T
	key  string
	room string
}

func newLimitedGate(t *testing.T) *limitedGate {
	t.Helper()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{RateLimits: true})
	g := &limitedGate{Service: s, t: t, key: s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)}
	var room api.Room
	g.post("/api/v1/rooms", `{"name": "Weekly"}`, &room)
	g.room = room.ID
	return g
}

func (g *limitedGate) post(path, body string, out any) {
	g.t.Helper()
	a := g.Send(servertest.Request{Method: http.MethodPost, Path: path, Bearer: g.key, Body: body})
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status != http.StatusCreated {
		g.t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
}

// token makes a media token for a new person.
func (g *limitedGate) token() string {
	g.t.Helper()
	var token api.RoomToken
	g.post("/api/v1/rooms/"+g.room+"/tokens", `{"name": "Ada"}`, &token)
	return token.Token
}

func (g *limitedGate) want(path, token string, status int, retryAfter string) {
	g.t.Helper()
	a := g.Send(servertest.Request{Method: http.MethodGet, Path: path + "?access_token=" + token})
	if a.Status != status || a.Header.Get("Retry-After") != retryAfter {
		g.t.Fatalf("%s: %d with Retry-After %q, want %d with %q", path, a.Status, a.Header.Get("Retry-After"), status, retryAfter)
	}
}

// A caller with many invalid tokens has to wait, and is answered again a minute
// later. Others at the same address are not affected.
func TestRefusedConnectionsAreLimited(t *testing.T) {
	t.Parallel()
	g := newLimitedGate(t)
	good := g.token()
	for range 120 {
		g.want("/rtc/validate", "junk", http.StatusUnauthorized, "")
	}
	g.want("/rtc/validate", "junk", http.StatusTooManyRequests, "60")
	g.want("/rtc/validate", good, http.StatusOK, "")
	g.want("/rtc", good, http.StatusUpgradeRequired, "") // as far as this goes without a WebSocket
	g.Advance(time.Minute)
	g.want("/rtc/validate", "junk", http.StatusUnauthorized, "")
}

// Every connection costs a transaction, so one person can only connect as often
// as a device with a bad network needs. Others are not affected.
func TestConnectionsOfOnePersonAreLimited(t *testing.T) {
	t.Parallel()
	g := newLimitedGate(t)
	ada, ben := g.token(), g.token()
	for range 20 {
		g.want("/rtc/v1", ada, http.StatusUpgradeRequired, "")
		g.want("/rtc/v1/validate", ada, http.StatusOK, "")
	}
	g.want("/rtc/v1", ada, http.StatusTooManyRequests, "10")
	g.want("/rtc", ada, http.StatusTooManyRequests, "10")
	g.want("/rtc/validate", ada, http.StatusTooManyRequests, "10")
	g.want("/rtc/v1", ben, http.StatusUpgradeRequired, "")
	g.want("/rtc/v1/validate", ben, http.StatusOK, "")
	g.Advance(10 * time.Second)
	g.want("/rtc/v1", ada, http.StatusUpgradeRequired, "")
}

// Many people behind one address are let through at once; one person with very
// many seats is not.
func TestConnectionsOfOneAddressAreLimited(t *testing.T) {
	t.Parallel()
	g := newLimitedGate(t)
	for range 50 {
		token := g.token()
		for range 20 {
			g.want("/rtc/v1", token, http.StatusUpgradeRequired, "")
		}
	}
	ada := g.token()
	g.want("/rtc/v1", ada, http.StatusTooManyRequests, "10")
	g.want("/rtc/v1/validate", ada, http.StatusOK, "")
	g.Advance(10 * time.Second)
	g.want("/rtc/v1", ada, http.StatusUpgradeRequired, "")
}

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

// door is a service with limits, asked at the gate.
type door struct {
	*servertest.Service
	t    *testing.T
	key  string
	room string
}

func newDoor(t *testing.T) *door {
	t.Helper()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{RateLimits: true})
	d := &door{Service: s, t: t, key: s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)}
	var room api.Room
	d.post("/api/v1/rooms", `{"name": "Weekly"}`, &room)
	d.room = room.ID
	return d
}

func (d *door) post(path, body string, out any) {
	d.t.Helper()
	a := d.Send(servertest.Request{Method: http.MethodPost, Path: path, Bearer: d.key, Body: body})
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status != http.StatusCreated {
		d.t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
}

// token is a media token for somebody new.
func (d *door) token() string {
	d.t.Helper()
	var token api.RoomToken
	d.post("/api/v1/rooms/"+d.room+"/tokens", `{"name": "Ada"}`, &token)
	return token.Token
}

func (d *door) want(path, token string, status int, retryAfter string) {
	d.t.Helper()
	a := d.Send(servertest.Request{Method: http.MethodGet, Path: path + "?access_token=" + token})
	if a.Status != status || a.Header.Get("Retry-After") != retryAfter {
		d.t.Fatalf("%s: %d with Retry-After %q, want %d with %q", path, a.Status, a.Header.Get("Retry-After"), status, retryAfter)
	}
}

// Whoever comes with tokens of nobody's is told to wait after a while, and a
// minute later answered again. Others at the same address notice nothing.
func TestRefusedConnectionsAreLimited(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	good := d.token()
	for range 120 {
		d.want("/rtc/validate", "junk", http.StatusUnauthorized, "")
	}
	d.want("/rtc/validate", "junk", http.StatusTooManyRequests, "60")
	d.want("/rtc/validate", good, http.StatusOK, "")
	d.want("/rtc", good, http.StatusUpgradeRequired, "") // as far as this goes without a WebSocket
	d.Advance(time.Minute)
	d.want("/rtc/validate", "junk", http.StatusUnauthorized, "")
}

// Every connection costs a transaction, so nobody has more of them than a
// device whose network comes and goes. Others notice nothing of that either.
func TestConnectionsOfOnePersonAreLimited(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	ada, ben := d.token(), d.token()
	for range 20 {
		d.want("/rtc/v1", ada, http.StatusUpgradeRequired, "")
		d.want("/rtc/v1/validate", ada, http.StatusOK, "")
	}
	d.want("/rtc/v1", ada, http.StatusTooManyRequests, "10")
	d.want("/rtc", ada, http.StatusTooManyRequests, "10")
	d.want("/rtc/validate", ada, http.StatusTooManyRequests, "10")
	d.want("/rtc/v1", ben, http.StatusUpgradeRequired, "")
	d.want("/rtc/v1/validate", ben, http.StatusOK, "")
	d.Advance(10 * time.Second)
	d.want("/rtc/v1", ada, http.StatusUpgradeRequired, "")
}

// Many people behind one address are let through at once; somebody with very
// many seats is not.
func TestConnectionsOfOneAddressAreLimited(t *testing.T) {
	t.Parallel()
	d := newDoor(t)
	for range 50 {
		token := d.token()
		for range 20 {
			d.want("/rtc/v1", token, http.StatusUpgradeRequired, "")
		}
	}
	ada := d.token()
	d.want("/rtc/v1", ada, http.StatusTooManyRequests, "10")
	d.want("/rtc/v1/validate", ada, http.StatusOK, "")
	d.Advance(10 * time.Second)
	d.want("/rtc/v1", ada, http.StatusUpgradeRequired, "")
}

package live_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// company is a service with one workspace, and a key of it.
type company struct {
	*servertest.Service

	t   *testing.T
	key string
}

func newCompany(t *testing.T, where db.Config) *company {
	t.Helper()
	s := servertest.Start(t, where, servertest.Options{})
	return &company{Service: s, t: t, key: s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)}
}

// post sends a request that must succeed, and decodes the answer.
func (c *company) post(path, bearer, body string, out any) {
	c.t.Helper()
	a := c.Send(servertest.Request{Method: http.MethodPost, Path: path, Bearer: bearer, Body: body})
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
		c.t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
}

// meeting makes a room in which one person is.
func (c *company) meeting(name string) (r api.Room) {
	c.t.Helper()
	c.post("/api/v1/rooms", c.key, fmt.Sprintf(`{"name": %q}`, name), &r)
	var held struct{ Token string }
	c.post("/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": "Ada"}`, r.Code), &held)
	upstream, _, err := c.Joins.LetThrough(c.t.Context(), held.Token)
	if err == nil {
		_, err = c.Media.Connect(upstream)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	c.Settle()
	return r
}

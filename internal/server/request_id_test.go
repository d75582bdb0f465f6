package server_test

import (
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Every answer has an id of its own, whatever part of the service gives it.
func TestEveryAnswerHasARequestID(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	seen := map[string]string{}
	for _, path := range []string{
		"/healthz", "/readyz", "/", "/abc-defg-hjk", "/favicon.svg", "/assets/none.js", "/no/such/page", "/docs", "/docs/errors", "/docs/none",
		"/calendar/none.ics", "/rtc", "/rtc/validate", "/api/v1/rooms", "/api/v1/none", "/meet/v1/openapi.json",
	} {
		id := s.Send(servertest.Request{Method: "GET", Path: path}).Header.Get("Request-Id")
		if !strings.HasPrefix(id, "req_") || seen[id] != "" {
			t.Errorf("%s: Request-Id %q, also of %q", path, id, seen[id])
		}
		seen[id] = path
	}
}

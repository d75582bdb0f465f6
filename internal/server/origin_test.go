package server_test

import (
	"net/http"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Pages of other origins may use the meeting protocol, and nothing that takes
// an API key.
func TestOtherOriginsMayUseOnlyTheMeetingProtocol(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	preflight := http.Header{
		"Origin": {"https://app.example.com"}, "Access-Control-Request-Method": {"POST"},
		"Access-Control-Request-Headers": {"authorization,content-type"},
	}
	for path, open := range map[string]bool{
		"/meet/v1/look-up": true, "/meet/v1/join": true, "/meet/v1/hand": true, "/api/v1/rooms": false,
	} {
		a := s.Send(servertest.Request{Method: "OPTIONS", Path: path, Header: preflight})
		if got := a.Header.Get("Access-Control-Allow-Origin") == "*" && a.Status == http.StatusOK; got != open {
			t.Errorf("preflight for %s: %d, allowed %v, want %v", path, a.Status, got, open)
		}
	}
	for path, status := range map[string]int{"/rtc/validate": 401, "/rtc/v1/validate?access_token=junk": 401, "/rtc": 401} {
		a := s.Send(servertest.Request{Method: "GET", Path: path, Header: http.Header{"Origin": {"https://app.example.com"}}})
		if a.Status != status || len(a.Header.Values("Access-Control-Allow-Origin")) != 1 {
			t.Errorf("%s: %d with %v", path, a.Status, a.Header)
		}
	}
}

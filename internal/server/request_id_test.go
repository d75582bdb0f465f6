package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server"
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

// So has every answer of the listeners beside the main one, and the answer with
// which the gate changes to WebSocket.
func TestEveryListenerGivesRequestIDs(t *testing.T) {
	t.Parallel()
	var plain, metrics string
	r := startAs(t, server.Options{}, func(c *config.Serve) {
		plain, metrics = freeAddress(t), freeAddress(t)
		c.HTTPListen, c.MetricsListen = plain, metrics
	})
	straight := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, tt := range []struct {
		url    string
		status int
	}{
		{"http://" + plain + "/", http.StatusPermanentRedirect},
		{"http://localhost" + plain[strings.LastIndexByte(plain, ':'):] + "/", http.StatusMisdirectedRequest},
		{"http://" + metrics + "/metrics", http.StatusOK},
		{r.url + "/metrics", http.StatusNotFound}, // they have a listener of their own
		{"http://" + metrics + "/healthz", http.StatusOK},
		{"http://" + metrics + "/readyz", http.StatusOK},
		{"http://" + metrics + "/", http.StatusNotFound},
	} {
		res, err := straight.Get(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		wantRequestID(t, tt.url, res, tt.status)
	}
	token := r.token(t, r.room(t, nil), "Ada", "participant")
	for credential, status := range map[string]int{token.Token: http.StatusSwitchingProtocols, "nonsense": http.StatusUnauthorized} {
		conn, res, err := websocket.DefaultDialer.DialContext(limited(t), token.ServerURL+"/rtc?protocol=15&access_token="+credential, nil)
		if res == nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if conn != nil {
			_ = conn.Close()
		}
		wantRequestID(t, "the gate", res, status)
	}
}

func wantRequestID(t *testing.T, who string, res *http.Response, status int) {
	t.Helper()
	if ids := res.Header["Request-Id"]; res.StatusCode != status || len(ids) != 1 || !strings.HasPrefix(ids[0], "req_") {
		t.Errorf("%s: status %d and Request-Id %q, want %d and one id", who, res.StatusCode, ids, status)
	}
}

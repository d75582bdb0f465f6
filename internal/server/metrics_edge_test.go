package server_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Refusals at the gate are counted by their code.
func TestTheMetricsOfRefusals(t *testing.T) {
	t.Parallel()
	c := newCounted(t, dbtest.Config(t, db.SQLite))
	var token api.RoomToken
	c.post("/api/v1/rooms/"+c.room.ID+"/tokens", `{"name": "Ada"}`, &token)
	if a := c.Send(servertest.Request{Method: http.MethodPatch, Path: "/api/v1/rooms/" + c.room.ID, Bearer: c.key, Body: `{"locked": true}`}); a.Status != http.StatusOK {
		t.Fatalf("lock the room: %d %s", a.Status, a.Body)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/rtc?protocol=16", http.NoBody)
	r.Header = http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="},
		"Authorization": {"Bearer " + token.Token},
	}
	answer := httptest.NewRecorder()
	c.Handler().ServeHTTP(answer, r)
	if answer.Code != http.StatusForbidden {
		t.Fatalf("the gate answers %d %s", answer.Code, answer.Body)
	}
	c.shows(`conclave_join_refusals_total{code="room_locked"} 1`, `conclave_join_duration_seconds_count{outcome="refused"} 1`, "conclave_gate_connections 0")
}

// A comparison with a media server that does not answer counts as failed.
func TestTheMetricOfFailedComparisons(t *testing.T) {
	t.Parallel()
	c := newCounted(t, dbtest.Config(t, db.SQLite))
	c.enters("Ada")
	c.shows("conclave_comparison_failures_total 0")
	c.Media.Down(errors.New("the media server is down"))
	c.Live.RequestSync(c.room.ID)
	c.Live.Quiesce()
	c.shows("conclave_comparison_failures_total 1")
}

// A stream is counted while it is open. A node that stops shows that it drains.
func TestTheMetricsOfStreamsAndOfDraining(t *testing.T) {
	t.Parallel()
	c := newCounted(t, dbtest.Config(t, db.SQLite))
	var seat struct{ Ticket string }
	c.post("/meet/v1/join", fmt.Sprintf(`{"code": %q, "name": "Ada"}`, c.room.Code), &seat)
	c.shows("conclave_streams 0", "conclave_draining 0")
	req, err := c.NewRequest(t.Context(), servertest.Request{Method: http.MethodGet, Path: "/meet/v1/events", Bearer: seat.Ticket}, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stream.Body.Close() }()
	if _, err := stream.Body.Read(make([]byte, 1)); err != nil || stream.StatusCode != http.StatusOK {
		t.Fatalf("the stream: %d, %v", stream.StatusCode, err)
	}
	c.shows("conclave_streams 1")
	c.Drain()
	if _, err := io.Copy(io.Discard, stream.Body); err != nil {
		t.Fatal(err)
	}
	c.shows("conclave_streams 0", "conclave_draining 1")
}

// A node shows by how much its machine's clock is wrong.
func TestTheMetricOfTheClock(t *testing.T) {
	t.Parallel()
	nodes := servertest.Machines(t, servertest.Options{}, 0, time.Hour, -time.Hour)
	for i, want := range []float64{0, 3600, -3600} {
		if got := metricsOf(t, nodes[i].Handler())["conclave_clock_skew_seconds"]; got < want-5 || got > want+5 {
			t.Errorf("a clock that is %v seconds ahead: %v", want, got)
		}
	}
}

package webhook_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// A delivery that is under way when the service stops is given back, so that the
// next start makes it at once. The clock does not move, so no lease expires.
func TestAStopGivesDeliveriesBack(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		begun, released := make(chan string, 10), make(chan struct{})
		web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			begun <- r.Header.Get("Webhook-Id")
			select {
			case <-released:
			case <-r.Context().Done():
			}
		}))
		t.Cleanup(web.Close)
		s := servertest.Start(t, where, unhurried())
		s.Webhooks.Jobs.LastWrite = time.Hour
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		endpointAt(t, s, key, web.URL)
		running, stop := context.WithCancel(t.Context())
		var working sync.WaitGroup
		working.Go(func() { s.Webhooks.Jobs.Run(running) })
		s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Room"}`})
		first := <-begun
		stop()
		working.Wait()
		close(released)
		s.Settle()
		if len(begun) != 1 {
			t.Fatalf("after the stop the event was sent %d times", len(begun))
		}
		if again := <-begun; again != first {
			t.Errorf("the event %s came first, %s after the stop", first, again)
		}
		waitForDeliveries(t, s.DB(), map[string]int{"succeeded ": 1})
	})
}

// Old deliveries are deleted 500 at a time, so that other writers do not wait for all
// of them.
func TestOldDeliveriesAreDeletedInSteps(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, unhurried())
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		hook := endpointAt(t, s, key, "http://127.0.0.1:1")
		dbtest.Change(t, s.DB(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
			INSERT INTO webhook_delivery (id, endpoint_id, event_id, event_type, status, attempts, step, created_at)
			SELECT 'old' || (1000 + i), '`+hook.ID+`', 'event' || i, 'room.created', 'succeeded', 1, 1, 0 FROM n`)
		left := func() string {
			return dbtest.Text(t, s.DB(), `SELECT CAST(count(*) AS TEXT) FROM webhook_delivery`)
		}
		free := dbtest.Stick(t, s.DB(), "webhook_delivery", "id", "old1701") // in the second step
		if err := s.Webhooks.Forget(t.Context()); err == nil || left() != "600" {
			t.Errorf("while one delivery cannot be deleted, %s are left (%v), want those of its step and after it", left(), err)
		}
		free()
		if err := s.Webhooks.Forget(t.Context()); err != nil || left() != "0" {
			t.Errorf("%s are left (%v)", left(), err)
		}
	})
}

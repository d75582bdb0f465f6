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

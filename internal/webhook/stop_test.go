package webhook_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
	"github.com/conclave-rooms/conclave/internal/webhook"
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

// An endpoint is enabled before the request that disabled it has dropped its
// deliveries, and before a job that found it disabled has. Deliveries that were added
// after that stay, and arrive.
func TestEnablingAnEndpointKeepsWhatFollows(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{}) // no name resolves
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		hook := endpointAt(t, s, key, "https://hooks.example.com")
		s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Room"}`})

		if err := webhook.Drop(s.Webhooks, t.Context(), hook.ID); err != nil {
			t.Errorf("drop the deliveries of an endpoint that is enabled: %v", err)
		}
		waits := job.Job{ID: dbtest.Text(t, s.DB(), `SELECT id FROM webhook_delivery`), Lane: hook.ID}
		dbtest.Change(t, s.DB(), `UPDATE webhook_endpoint SET enabled = FALSE`)
		err := s.DB().Read(t.Context(), func(tx *db.Tx) error {
			found, err := s.Webhooks.Fetch(t.Context(), tx, []job.Job{waits})
			waits.Fetched = found[waits.ID]
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		dbtest.Change(t, s.DB(), `UPDATE webhook_endpoint SET enabled = TRUE`)
		if got, want := s.Webhooks.Deliver(t.Context(), waits), job.Again(s.Now(), nil); !reflect.DeepEqual(got, want) {
			t.Errorf("its job ends with %+v, want %+v", got, want)
		}
		if got, want := countDeliveries(t, s.DB()), map[string]int{"pending ": 1}; !maps.Equal(got, want) {
			t.Errorf("the deliveries are %v, want %v", got, want)
		}
		s.Settle()
		if got, want := countDeliveries(t, s.DB()), map[string]int{"retrying dns_error": 1}; !maps.Equal(got, want) {
			t.Errorf("the deliveries are %v after an attempt, want %v", got, want)
		}
	})
}

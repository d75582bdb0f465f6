package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Thirty requests at once create only ten endpoints.
func TestRequestsAtOnceMakeOnlyTenEndpoints(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.ScopeWebhooksManage)
		var (
			mu     sync.Mutex
			counts = map[string]int{}
			asking sync.WaitGroup
		)
		for i := range 30 {
			asking.Go(func() {
				a := s.Send(servertest.Request{
					Method: http.MethodPost, Path: "/api/v1/webhooks", Bearer: key,
					Body: `{"url": "https://hooks.example.com/` + strconv.Itoa(i) + `", "events": ["*"]}`,
				})
				mu.Lock()
				defer mu.Unlock()
				counts[strconv.Itoa(a.Status)+a.Code()]++
			})
		}
		asking.Wait()
		if counts["201"] != 10 || counts["409limit_reached"] != 20 {
			t.Errorf("the answers are %v", counts)
		}
		var list api.List[api.WebhookEndpoint]
		a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/webhooks", Bearer: key})
		if err := json.Unmarshal(a.Body, &list); err != nil || len(list.Data) != 10 {
			t.Errorf("there are %d endpoints (%v)", len(list.Data), err)
		}
	})
}

// Two nodes share the queue. Each event is delivered once, by either of them, and
// the secret opens on both.
func TestTwoNodesDeliverOnce(t *testing.T) {
	t.Parallel()
	here := servertest.Start(t, dbtest.Config(t, db.PostgreSQL), servertest.Options{})
	there := here.AnotherNode()
	key := here.Key(here.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	ask := func(s *servertest.Service, method, path, body string) servertest.Answer {
		t.Helper()
		a := s.Send(servertest.Request{Method: method, Path: "/api/v1" + path, Bearer: key, Body: body})
		if a.Status/100 != 2 {
			t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
		}
		return a
	}
	// No name resolves in this test, so each attempt fails at once: attempts count.
	var hook api.WebhookEndpointCreated
	if err := json.Unmarshal(ask(here, http.MethodPost, "/webhooks", `{"url": "https://hooks.example.com", "events": ["*"]}`).Body, &hook); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		ask(here, http.MethodPost, "/rooms", `{"name": "Room"}`)
	}
	var both sync.WaitGroup
	for _, node := range []*servertest.Service{here, there} {
		both.Go(func() {
			if err := node.Webhooks.Jobs.Settle(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	here.Settle()
	var list api.List[api.WebhookDelivery]
	if err := json.Unmarshal(ask(there, http.MethodGet, "/webhooks/"+hook.ID+"/deliveries", "").Body, &list); err != nil || len(list.Data) != 20 {
		t.Fatalf("%d deliveries are listed (%v)", len(list.Data), err)
	}
	for _, d := range list.Data {
		if d.Attempts != 1 || d.Status != "retrying" || d.Error == nil || *d.Error != "dns_error" || d.ResponseCode != nil {
			t.Errorf("a delivery is %+v", d)
		}
	}
}

// Of a hundred deliveries the newest fifty are listed. An endpoint that is created
// later can recover all events, however many there are.
func TestTheNewestDeliveriesAreListedAndAllEventsRecovered(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{}) // no name resolves, so each attempt fails at once
		workspace := s.Workspace("acme", "owner@acme.example")
		key := s.Key(workspace, api.Scopes()...)
		hook := endpointAt(t, s, key, "https://hooks.example.com")
		var last string
		rooms := func(n int) {
			for range n {
				a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Room"}`})
				if a.Status != http.StatusCreated {
					t.Fatalf("make a room: %d %s", a.Status, a.Body)
				}
			}
			events := s.EventLog()
			last = events[len(events)-1].ID
		}
		listed := func() []api.WebhookDelivery {
			t.Helper()
			var list api.List[api.WebhookDelivery]
			a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/webhooks/" + hook.ID + "/deliveries", Bearer: key})
			if err := json.Unmarshal(a.Body, &list); err != nil || list.HasMore == nil || *list.HasMore {
				t.Fatalf("the deliveries are %s", a.Body)
			}
			return list.Data
		}
		rooms(50)
		if all := listed(); len(all) != 50 || all[0].EventID != last {
			t.Errorf("there are fifty deliveries, and %d are listed", len(all))
		}
		first := listed()[49].EventID
		s.Advance(time.Second)
		rooms(1)
		if all := listed(); len(all) != 50 || all[0].EventID != last || all[49].EventID == first {
			t.Errorf("there are fifty-one deliveries, and %d are listed, the oldest among them: %v", len(all), all[len(all)-1].EventID == first)
		}

		rooms(401 - 51) // more than one transaction of a recovery looks at, twice
		late := endpointAt(t, s, key, "https://late.example.com")
		a := s.Send(servertest.Request{
			Method: http.MethodPost, Path: "/api/v1/webhooks/" + late.ID + "/recover", Bearer: key, Body: `{"since": "2026-11-20T10:00:00Z"}`,
		})
		var got api.WebhookRecovery
		if err := json.Unmarshal(a.Body, &got); err != nil || got.Events != 401 {
			t.Errorf("recovered: %d %s", a.Status, a.Body)
		}
		// A second recovery leaves these events to the first, which a job makes.
		if again, err := s.Webhooks.Recover(t.Context(), auth.Principal{WorkspaceID: workspace}, late.ID, servertest.Epoch); err != nil || again != 0 {
			t.Errorf("recovered while a recovery is under way: %d, %v", again, err)
		}
		s.Settle()
		if n := s.Count(`webhook_delivery WHERE endpoint_id = $1`, late.ID); n != 401 {
			t.Errorf("%d events were queued, want 401", n)
		}
		if n := s.Count(`webhook_recovery`); n != 0 {
			t.Errorf("%d recoveries are left", n)
		}
		// Nothing is missing now, so a recovery does not wait for a writer.
		release := holdWriter(t, s.DB())
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		again, err := s.Webhooks.Recover(ctx, auth.Principal{WorkspaceID: workspace}, late.ID, servertest.Epoch)
		release()
		if err != nil || again != 0 {
			t.Errorf("recovered again: %d, %v", again, err)
		}
		// Disabling the endpoint ends a recovery before it has queued anything.
		stopped := endpointAt(t, s, key, "https://stopped.example.com")
		missed, err := s.Webhooks.Recover(t.Context(), auth.Principal{WorkspaceID: workspace}, stopped.ID, servertest.Epoch)
		if err != nil || missed != 401 {
			t.Errorf("the recovery has %d events, %v; want 401", missed, err)
		}
		s.Send(servertest.Request{Method: http.MethodPatch, Path: "/api/v1/webhooks/" + stopped.ID, Bearer: key, Body: `{"enabled": false}`})
		s.Settle()
		if n := s.Count(`webhook_delivery WHERE endpoint_id = $1`, stopped.ID) + s.Count(`webhook_recovery`); n != 0 {
			t.Errorf("%d deliveries and recoveries of a disabled endpoint are left", n)
		}
	})
}

// holdWriter writes to the database until it is released.
func holdWriter(t *testing.T, d *db.DB) (release func()) {
	t.Helper()
	writing, enough, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- d.Write(t.Context(), func(*db.Tx) error {
			close(writing)
			<-enough
			return nil
		})
	}()
	<-writing
	return func() {
		close(enough)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// unhurried returns options for a service that waits for answers as long as a test
// lasts.
func unhurried() servertest.Options {
	return servertest.Options{AllowPrivate: true, Outbound: outbound.Config{Timeout: time.Hour}}
}

// Four requests at a time go to one endpoint. Disabling or deleting the endpoint
// aborts them at once and ends all deliveries that wait, however many there are.
func TestAnEndpointStopsAtOnce(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]servertest.Request{
		"disabled": {Method: http.MethodPatch, Body: `{"enabled": false}`},
		"deleted":  {Method: http.MethodDelete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
				begun, ended := make(chan struct{}, 2000), make(chan struct{}, 2000)
				web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					begun <- struct{}{}
					<-r.Context().Done()
					ended <- struct{}{}
				}))
				t.Cleanup(web.Close)
				s := servertest.Start(t, where, unhurried())
				key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
				// More deliveries than one transaction ends.
				for range 601 {
					s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Room"}`})
				}
				hook := endpointAt(t, s, key, web.URL)
				s.Send(servertest.Request{
					Method: http.MethodPost, Path: "/api/v1/webhooks/" + hook.ID + "/recover", Bearer: key, Body: `{"since": "2026-11-20T10:00:00Z"}`,
				})
				if err := s.Webhooks.Recoveries.Settle(t.Context()); err != nil {
					t.Fatal(err)
				}
				var delivering sync.WaitGroup
				delivering.Go(func() {
					if err := s.Webhooks.Jobs.Settle(t.Context()); err != nil {
						t.Error(err)
					}
				})
				for range 4 {
					<-begun
				}
				stop.Path, stop.Bearer = "/api/v1/webhooks/"+hook.ID, key
				if a := s.Send(stop); a.Status != http.StatusOK {
					t.Errorf("stop it: %d %s", a.Status, a.Body)
				}
				for range 4 {
					<-ended
				}
				delivering.Wait()
				if len(begun) != 0 {
					t.Errorf("%d more requests were made", len(begun))
				}
				statuses := countDeliveries(t, s.DB())
				want := map[string]int{"failed endpoint_disabled": 601}
				if name == "deleted" {
					want = map[string]int{}
				}
				if !maps.Equal(statuses, want) {
					t.Errorf("the deliveries are %v, want %v", statuses, want)
				}
			})
		})
	}
}

// The log tells the operator why an endpoint was disabled.
func TestTheLogSaysThatAnEndpointWasDisabled(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{Log: slog.NewTextHandler(&log, nil)}) // no name resolves
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	hook := endpointAt(t, s, key, "https://hooks.example.com/s3cret")
	for range 2 {
		s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Room"}`})
		s.Settle()
		for range 5 { // longer than any pause between attempts
			s.Advance(3 * time.Hour)
			s.Settle()
		}
		if said := strings.Contains(log.String(), "was disabled"); said && s.Now().Before(servertest.Epoch.Add(5*24*time.Hour)) {
			t.Errorf("the endpoint was disabled too early: %s", log.String())
		}
		s.Advance(5 * 24 * time.Hour)
	}
	if !strings.Contains(log.String(), "a webhook endpoint was disabled: nothing but failures for five days") || !strings.Contains(log.String(), hook.ID) {
		t.Errorf("the log does not say so: %s", log.String())
	}
	if strings.Contains(log.String(), "s3cret") || strings.Contains(log.String(), hook.Secret) {
		t.Errorf("the log holds a secret: %s", log.String())
	}
}

// Two deliveries are under way at once. One fails while the other waits, and then
// succeeds: the endpoint does not count as failing.
func TestAnEndpointWithASuccessBesideAFailureIsNotFailing(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		var requests atomic.Int64
		release := make(chan struct{})
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if requests.Add(1) == 1 {
				select {
				case <-release:
				case <-r.Context().Done(): // the test has failed
				}
				return
			}
			w.WriteHeader(http.StatusNotFound)
		}))
		t.Cleanup(web.Close)
		s := servertest.Start(t, where, unhurried())
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		hook := endpointAt(t, s, key, web.URL)
		happens := func() {
			s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Room"}`})
		}
		running, stop := context.WithCancel(context.Background())
		var working sync.WaitGroup
		working.Go(func() { s.Webhooks.Jobs.Run(running) })
		t.Cleanup(func() { stop(); working.Wait() })
		happens()
		happens()
		waitForDeliveries(t, s.DB(), map[string]int{"pending ": 1, "failed http_error": 1})
		close(release)
		waitForDeliveries(t, s.DB(), map[string]int{"succeeded ": 1, "failed http_error": 1})
		s.Advance(6 * 24 * time.Hour)
		happens()
		waitForDeliveries(t, s.DB(), map[string]int{"succeeded ": 1, "failed http_error": 2})
		var after api.WebhookEndpoint
		a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/webhooks/" + hook.ID, Bearer: key})
		if err := json.Unmarshal(a.Body, &after); err != nil || !after.Enabled {
			t.Errorf("the endpoint is %s", a.Body)
		}
	})
}

// waitForDeliveries waits until the deliveries are as expected.
func waitForDeliveries(t *testing.T, d *db.DB, want map[string]int) {
	t.Helper()
	look, enough := time.NewTicker(20*time.Millisecond), time.After(30*time.Second)
	defer look.Stop()
	for {
		got := countDeliveries(t, d)
		if maps.Equal(got, want) {
			return
		}
		select {
		case <-look.C:
		case <-enough:
			t.Fatalf("the deliveries are %v, want %v", got, want)
		}
	}
}

// countDeliveries counts the deliveries there are by status and error.
func countDeliveries(t *testing.T, d *db.DB) map[string]int {
	t.Helper()
	counts := map[string]int{}
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		_, err := db.Query(t.Context(), tx, func(row db.Scanner) (struct{}, error) {
			var what string
			err := row.Scan(&what)
			counts[what]++
			return struct{}{}, err
		}, `SELECT status || ' ' || COALESCE(error, '') FROM webhook_delivery`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

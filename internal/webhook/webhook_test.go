package webhook_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Thirty requests at once make ten endpoints.
func TestTenEndpointsAreTheMostAlsoAtOnce(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			s := servertest.Start(t, dbtest.Config(t, engine), servertest.Options{})
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
				t.Errorf("%d endpoints are there (%v)", len(list.Data), err)
			}
		})
	}
}

// Two nodes share the queue: each event is delivered, once, whichever of them
// does it, and the secret opens on both.
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

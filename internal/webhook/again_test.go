package webhook_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// A test of a slow endpoint is listed where it began: before an event that happened
// while the endpoint had not answered yet.
func TestATestIsListedWhereItBegan(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, unhurried())
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			s.Pass(time.Second)
			s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Room"}`})
			s.Pass(time.Second)
		}))
		t.Cleanup(web.Close)
		hook := endpointAt(t, s, key, web.URL)
		began := s.Now()
		if a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/webhooks/" + hook.ID + "/test", Bearer: key}); a.Status != http.StatusOK {
			t.Fatalf("test an endpoint: %d %s", a.Status, a.Body)
		}
		var list api.List[api.WebhookDelivery]
		a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/webhooks/" + hook.ID + "/deliveries", Bearer: key})
		if err := json.Unmarshal(a.Body, &list); err != nil || len(list.Data) != 2 {
			t.Fatalf("the deliveries are %s", a.Body)
		}
		if test := list.Data[1]; test.EventType != api.EventWebhookTest || !test.CreatedAt.Equal(began) {
			t.Errorf("the test began at %s, and the deliveries are %s", began, a.Body)
		}
	})
}

// A test event that is resent while the endpoint has not answered the test yet is sent
// twice. Both the test and the resending succeed, and there is one delivery.
func TestATestEventMayBeResentBeforeItIsAnswered(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, unhurried())
		workspace := s.Workspace("acme", "owner@acme.example")
		key := s.Key(workspace, api.Scopes()...)
		var (
			hook   api.WebhookEndpointCreated
			resend sync.Once
		)
		web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			resend.Do(func() {
				if _, err := s.Webhooks.ResendEvent(r.Context(), auth.Principal{WorkspaceID: workspace}, hook.ID, r.Header.Get("Webhook-Id")); err != nil {
					t.Errorf("resend the test event: %v", err)
				}
			})
		}))
		t.Cleanup(web.Close)
		hook = endpointAt(t, s, key, web.URL)
		a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/webhooks/" + hook.ID + "/test", Bearer: key})
		if a.Status != http.StatusOK {
			t.Errorf("test an endpoint: %d %s", a.Status, a.Body)
		}
		s.Settle()
		waitForDeliveries(t, s.DB(), map[string]int{"succeeded ": 1})
	})
}

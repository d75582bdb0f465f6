package webhook_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// recovering is a service with four events, a second apart, that an endpoint missed.
func recovering(t *testing.T, where db.Config) (s *servertest.Service, missed func(since time.Time) int) {
	t.Helper()
	s = servertest.Start(t, where, servertest.Options{}) // no name resolves
	workspace := s.Workspace("acme", "owner@acme.example")
	key := s.Key(workspace, api.Scopes()...)
	for range 4 {
		s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Room"}`})
		s.Advance(time.Second)
	}
	hook := endpointAt(t, s, key, "https://hooks.example.com")
	return s, func(since time.Time) int {
		t.Helper()
		n, err := s.Webhooks.Recover(t.Context(), auth.Principal{WorkspaceID: workspace}, hook.ID, since)
		if err != nil {
			t.Errorf("recover: %v", err)
		}
		return n
	}
}

// A recovery sends every missed event except those that recoveries under way are going
// to look at.
func TestARecoverySkipsEventsOfRecoveriesUnderWay(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s, missed := recovering(t, where)
		wants := func(since time.Duration, want int, why string) {
			t.Helper()
			if got := missed(servertest.Epoch.Add(since)); got != want {
				t.Errorf("%s: %d events are recovered, want %d", why, got, want)
			}
		}
		wants(2*time.Second, 2, "the last two")
		wants(time.Second, 1, "one more, before those")
		wants(time.Second, 0, "the same again")
		wants(0, 1, "the first")
		wants(0, 0, "all are taken")
		// The recovery of the last two is over, and both have failed. Those of the
		// others are still under way.
		dbtest.Change(t, s.DB(), `DELETE FROM webhook_recovery WHERE until_at IS NULL`)
		wants(0, 2, "the last two again")
		wants(0, 0, "all are taken again")
	})
}

// Of requests that come at the same time, one recovers the events.
func TestOneOfManyRecoveriesTakesAll(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s, missed := recovering(t, where)
		var (
			all    atomic.Int64
			asking sync.WaitGroup
		)
		for range 12 {
			asking.Go(func() { all.Add(int64(missed(servertest.Epoch))) })
		}
		asking.Wait()
		if n := s.Count(`webhook_recovery`); all.Load() != 4 || n != 1 {
			t.Errorf("%d events are recovered by %d recoveries, want 4 by one", all.Load(), n)
		}
	})
}

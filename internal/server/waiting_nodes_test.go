package server_test

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/notify"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// waits lets somebody knock at a node, and follow there until the end of the test.
func (r *running) waits(t *testing.T, room api.Room, name string) {
	t.Helper()
	var held struct{ Ticket string }
	if status := r.call(t, http.MethodPost, "/meet/v1/join", "", map[string]string{"code": room.Code, "name": name}, &held); status != http.StatusOK {
		t.Fatalf("%s may not knock: %d", name, status)
	}
	r.issued(held.Ticket)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+"/meet/v1/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+held.Ticket)
	res, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	for !strings.HasPrefix(lines.Text(), "event: door") {
		if !lines.Scan() {
			t.Fatalf("%s cannot follow: %d, %v", name, res.StatusCode, lines.Err())
		}
	}
}

// Ada waits at one node and Ben at another. Ada's node is gone, and her device does not
// come back: it follows nowhere. Hosts must not see her for an hour.
func TestNobodyWaitsAtANodeThatIsGone(t *testing.T) {
	t.Parallel()
	where, data := dbtest.Config(t, db.PostgreSQL), t.TempDir()
	start := func(t *testing.T, name string) *running {
		t.Helper()
		r := startAs(t, server.Options{Media: fake.New(time.Now)}, func(c *config.Serve) {
			c.DatabaseURL, c.Data.Data, c.NodeName = where.URL, data, name // they share a master key
		})
		r.token(t, r.room(t, nil), "Eve", "participant") // secrets that its log must not have
		return r
	}
	here := start(t, "here")
	room := here.room(t, map[string]any{"admission": "knock"})
	listed := func() string {
		var list api.List[api.WaitingParticipant]
		here.api(t, http.MethodGet, "/rooms/"+room.ID+"/waiting", nil, &list)
		var names []string
		for _, one := range list.Data {
			names = append(names, one.Name)
		}
		return strings.Join(names, " ")
	}
	here.waits(t, room, "Ben")
	t.Run("with another node", func(part *testing.T) { // at whose end that node stops
		start(part, "there").waits(t, room, "Ada")
		here.within(part, 20*time.Second, "both are listed", func() bool { return listed() == "Ben Ada" })
	})
	here.within(t, time.Minute, "only Ben is listed", func() bool { return listed() == "Ben" })
}

// What a node writes while it stops, such as that somebody who waited there has gone away,
// wakes the other nodes.
func TestTheLastNotesOfANodeWakeTheOthers(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	hub := notify.New(dbtest.Open(t, where), slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var listening sync.WaitGroup
	listening.Go(func() { hub.Run(ctx) })
	t.Cleanup(func() { cancel(); listening.Wait() })
	wake, unsubscribe := hub.Subscribe("any")
	t.Cleanup(unsubscribe)
	receive := func(when string) {
		t.Helper()
		select {
		case <-wake:
		case <-time.After(patience):
			t.Errorf("nobody was woken %s", when)
		}
	}
	receive("when it listens")
	t.Run("a node", func(part *testing.T) { // at whose end that node stops
		r := startAs(part, server.Options{Media: fake.New(time.Now)}, func(c *config.Serve) { c.DatabaseURL = where.URL })
		room := r.room(part, map[string]any{"admission": "knock"})
		r.token(part, room, "Eve", "participant") // secrets that its log must not have
		part.Run("with Ada", func(here *testing.T) { r.waits(here, room, "Ada") })
		r.within(part, patience, "Ada's stream has ended", func() bool { return r.service.Stream.Open() == 0 })
		wake, unsubscribe = hub.Subscribe(stream.Topic(room.ID))
		t.Cleanup(unsubscribe)
	})
	receive("by the node's last notes")
}

package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/server"
)

// nodesAhead are nodes that share a PostgreSQL, on machines whose clocks are ahead of
// its clock by the given times.
func nodesAhead(t *testing.T, ahead ...time.Duration) []*running {
	t.Helper()
	where, data := dbtest.Config(t, db.PostgreSQL), t.TempDir()
	nodes := make([]*running, len(ahead))
	for i, by := range ahead {
		wall := func() time.Time { return time.Now().Add(by) }
		nodes[i] = startAs(t, server.Options{Media: fake.New(wall), Wall: wall}, func(c *config.Serve) {
			c.DatabaseURL, c.Data.Data, c.RateLimits = where.URL, data, ""
		})
		nodes[i].token(t, nodes[i].room(t, nil), "Ada", "participant") // secrets that the log must not have
	}
	return nodes
}

// twoNodes are a node with the right clock, and one that is an hour ahead.
func twoNodes(t *testing.T) (right, wrong *running) {
	t.Helper()
	nodes := nodesAhead(t, 0, time.Hour)
	return nodes[0], nodes[1]
}

// ask sends a request with the key of another node's workspace.
func (r *running) ask(t *testing.T, path, key string) *http.Response {
	t.Helper()
	q, err := http.NewRequestWithContext(limited(t), http.MethodGet, r.url+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		q.Header.Set("Authorization", "Bearer "+key)
	}
	answer, err := r.client.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

func TestAKeyIsNotLockedOutByANodeWhoseClockIsWrong(t *testing.T) {
	t.Parallel()
	right, wrong := twoNodes(t)
	tries := 0
	for wrong.ask(t, "/api/v1/rooms", right.key).StatusCode == http.StatusOK {
		if tries++; tries > 500 {
			t.Fatal("the key is never limited")
		}
	}
	for name, node := range map[string]*running{"right": right, "wrong": wrong} {
		answer := node.ask(t, "/api/v1/rooms", right.key)
		if answer.StatusCode == http.StatusOK {
			continue // the window of five seconds is over
		}
		wait, err := strconv.Atoi(answer.Header.Get("Retry-After"))
		if answer.StatusCode != http.StatusTooManyRequests || err != nil || wait > 5 {
			t.Errorf("the %s node answers %d and Retry-After: %q, want at most 5 seconds", name, answer.StatusCode, answer.Header.Get("Retry-After"))
		}
	}
}

func TestTimesAreThoseOfTheDatabase(t *testing.T) {
	t.Parallel()
	right, wrong := twoNodes(t)
	var made api.Room
	if status := wrong.call(t, http.MethodPost, "/api/v1/rooms", right.key, map[string]any{"name": "Planning"}, &made); status != http.StatusCreated {
		t.Fatalf("a room on the wrong node: %d", status)
	}
	if off := time.Since(made.CreatedAt.Time); off.Abs() > 5*time.Minute {
		t.Errorf("the room was created %v ago, by what the API says", off)
	}
}

// While no media server answers, because of something that all nodes share, nodes stay in
// service for everything else. A node leaves service when only its own media server is
// gone.
func TestNodesStayInServiceWithoutAnyMediaServer(t *testing.T) {
	t.Parallel()
	where, data := dbtest.Config(t, db.PostgreSQL), t.TempDir()
	var nodes [2]*running
	var medias [2]*fake.Server
	for i := range nodes {
		medias[i] = fake.New(time.Now)
		nodes[i] = startAs(t, server.Options{Media: medias[i]}, func(c *config.Serve) {
			c.DatabaseURL, c.Data.Data = where.URL, data
		})
		nodes[i].token(t, nodes[i].room(t, nil), "Ada", "participant") // secrets that the log must not have
	}
	medias[0].Down(errors.New("its process has ended"))
	nodes[0].answersReady(t, http.StatusServiceUnavailable, `"status":"unavailable"`)
	nodes[1].answersReady(t, http.StatusOK, `"status":"ok"`)

	medias[1].Down(errors.New("so has this one"))
	for _, node := range nodes {
		node.answersReady(t, http.StatusOK, `"status":"degraded"`)
		node.answersReady(t, http.StatusOK, "The media server does not answer.")
		node.room(t, nil) // made without a media server
	}
	medias[1].Down(nil)
	nodes[1].answersReady(t, http.StatusOK, `"status":"ok"`)
	nodes[0].answersReady(t, http.StatusServiceUnavailable, `"status":"unavailable"`)
}

// silent is a media server that does not answer, as behind a broken network.
type silent struct{ *fake.Server }

func (silent) Ready(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// Nodes stay in service, too, while each waits in vain for the answer of a media server.
func TestNodesStayInServiceWhileMediaServersAreSilent(t *testing.T) {
	t.Parallel()
	where, data := dbtest.Config(t, db.PostgreSQL), t.TempDir()
	var nodes [2]*running
	for i := range nodes {
		nodes[i] = startAs(t, server.Options{Media: silent{fake.New(time.Now)}}, func(c *config.Serve) {
			c.DatabaseURL, c.Data.Data = where.URL, data
		})
		nodes[i].token(t, nodes[i].room(t, nil), "Ada", "participant") // secrets that the log must not have
	}
	for _, node := range nodes {
		node.answersReady(t, http.StatusOK, `"status":"degraded"`)
	}
}

func TestReadyzSaysThatTheClockIsWrong(t *testing.T) {
	t.Parallel()
	nodes := nodesAhead(t, 0, time.Hour, -time.Hour)
	for i, want := range []string{"ok", "ahead", "behind"} {
		answer := nodes[i].ask(t, "/readyz", "")
		var health struct{ Parts map[string]string }
		if err := json.NewDecoder(answer.Body).Decode(&health); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != http.StatusOK || health.Parts["clock"] != want {
			t.Errorf("node %d is ready and says %q of its clock: %d %v", i, want, answer.StatusCode, health.Parts)
		}
	}
}

// A node of a media cluster drains by itself while the clock of its machine is wrong,
// so that new people go to other nodes.
func TestAClusterNodeWithAWrongClockTakesNoNewPeople(t *testing.T) {
	t.Parallel()
	host := redisHost(t)
	tell(t, host, "SELECT 13", "FLUSHDB")
	where, data := dbtest.Config(t, db.PostgreSQL), t.TempDir()
	var ahead atomic.Int64
	nodeOn := func(name string, wall func() time.Time) *running {
		return startAs(t, server.Options{Wall: wall}, func(c *config.Serve) {
			c.DatabaseURL, c.Data.Data, c.NodeName, c.RedisURL = where.URL, data, name, "redis://"+host+"/13"
		})
	}
	right := nodeOn("right", time.Now)
	wrong := nodeOn("wrong", func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	for _, n := range []*running{right, wrong} {
		n.token(t, n.room(t, nil), "Ada", "participant") // secrets that the log must not have
		n.answersReady(t, http.StatusOK, `"clock":"ok"`)
	}
	ahead.Store(int64(3 * time.Second)) // less than what /readyz calls wrong
	wrong.answersReady(t, http.StatusServiceUnavailable, `"status":"draining"`)
	wrong.answersReady(t, http.StatusServiceUnavailable, `"clock":"ok"`)
	if skew := metricsOf(t, wrong.service.Handler())["conclave_clock_skew_seconds"]; skew < 2.5 || skew > 3.5 {
		t.Errorf("the metrics say that the clock is %v s ahead, want 3", skew)
	}
	ahead.Store(int64(time.Hour))
	wrong.answersReady(t, http.StatusServiceUnavailable, `"clock":"ahead"`)
	wrong.answersReady(t, http.StatusServiceUnavailable, "the clock of its machine is wrong")
	right.answersReady(t, http.StatusOK, `"status":"ok"`)
	ahead.Store(0)
	wrong.answersReady(t, http.StatusOK, `"status":"ok"`)
}

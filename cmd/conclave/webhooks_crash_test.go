package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// inbox is a customer's server that remembers all requests.
type inbox struct {
	t *testing.T

	mu       sync.Mutex
	bodies   map[string][]byte // by event id
	answered map[string]bool   // with 2xx
	requests int
	arrived  chan struct{} // holds a wake-up once something was answered with 2xx
}

func newInbox(t *testing.T) (*inbox, string) {
	t.Helper()
	in := &inbox{t: t, bodies: map[string][]byte{}, answered: map[string]bool{}, arrived: make(chan struct{}, 1)}
	web := httptest.NewServer(in)
	t.Cleanup(web.Close)
	return in, web.URL
}

// ServeHTTP receives a webhook. It refuses one event of twenty once, to get it
// again after about ten seconds.
func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var e api.EventEnvelope
	if err != nil || json.Unmarshal(body, &e) != nil {
		return // the service was killed while it sent
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.requests++
	before, seen := in.bodies[e.ID]
	if seen && !bytes.Equal(before, body) {
		in.t.Errorf("the event %s came as %s and as %s", e.ID, before, body)
	}
	in.bodies[e.ID] = body
	if !seen && rand.N(20) == 0 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	in.answered[e.ID] = true
	select {
	case in.arrived <- struct{}{}:
	default:
	}
}

// missing counts the events that were not answered with 2xx yet.
func (in *inbox) missing(ids []string) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	n := 0
	for _, id := range ids {
		if !in.answered[id] {
			n++
		}
	}
	return n
}

// The service is killed at random moments while events happen and are
// delivered. Every committed event arrives at least once, always with the same
// body; no other event arrives; and no delivery is marked as succeeded unless
// the receiver answered so.
func TestWebhooksSurviveCrashes(t *testing.T) {
	t.Parallel()
	kills := killsWanted(t, 5)
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		_, key := newKey(t, where)
		in, url := newInbox(t)
		p := start(t, "serve", where, "--webhooks-allow-private")
		if status, body := p.call(http.MethodPost, "/api/v1/webhooks", key, fmt.Sprintf(`{"url": %q, "events": ["*"]}`, url)); status != http.StatusCreated {
			t.Fatalf("make the endpoint: %d %s", status, body)
		}
		acknowledged := 0
		for range kills {
			acknowledged += killedInTheMiddle(t, p, key)
			p = start(t, "serve", where, "--webhooks-allow-private")
		}
		ids := eventIDs(t, where)
		if len(ids) < acknowledged {
			t.Errorf("%d rooms were acknowledged and %d events are there", acknowledged, len(ids))
		}
		waitForAll(t, where, in, ids)
		checkDeliveries(t, where, in)
		checkOneEventEach(t, where)
		in.mu.Lock()
		t.Logf("%d kills, %d events, %d requests", kills, len(ids), in.requests)
		in.mu.Unlock()
		p.stop()
	})
}

// killedInTheMiddle makes rooms from several clients at once and kills the
// service after a random number of them; it returns how many were acknowledged.
func killedInTheMiddle(t *testing.T, p *process, key string) int {
	t.Helper()
	var (
		mu     sync.Mutex
		made   int
		enough = 1 + rand.N(30)
		there  = make(chan struct{})
		makers sync.WaitGroup
	)
	for range 4 {
		makers.Go(func() {
			for {
				res, err := p.send(http.MethodPost, "/api/v1/rooms", key, `{"name": "Room"}`)
				if err != nil {
					return // killed
				}
				_, err = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
				if err != nil || res.StatusCode != http.StatusCreated {
					return
				}
				mu.Lock()
				made++
				if made == enough {
					close(there)
				}
				mu.Unlock()
			}
		})
	}
	select {
	case <-there:
	case <-time.After(patience):
		t.Errorf("the service is too slow\n%s", p.log)
	}
	time.Sleep(rand.N(20 * time.Millisecond)) // this test varies the moment of the crash
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait()
	makers.Wait()
	return made
}

// eventIDs are the ids of all events.
func eventIDs(t *testing.T, where db.Config) []string {
	t.Helper()
	var ids []string
	read(t, where, `SELECT id, '' FROM event`, func(id, _ string) { ids = append(ids, id) })
	return ids
}

// read reads two texts of every row of a query, directly from the database.
func read(t *testing.T, where db.Config, query string, each func(a, b string)) {
	t.Helper()
	where.Logger = slog.New(slog.DiscardHandler)
	d, err := db.Open(t.Context(), where)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	err = d.Read(t.Context(), func(tx *db.Tx) error {
		_, err := db.Query(t.Context(), tx, func(row db.Scanner) (struct{}, error) {
			var a, b string
			err := row.Scan(&a, &b)
			each(a, b)
			return struct{}{}, err
		}, query)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func waitForAll(t *testing.T, where db.Config, in *inbox, ids []string) {
	t.Helper()
	enough := time.After(3 * patience)
	for in.missing(ids) > 0 {
		select {
		case <-in.arrived:
		case <-enough:
			read(t, where, `SELECT event_id, status || ' after ' || CAST(attempts AS TEXT) FROM webhook_delivery WHERE status <> 'succeeded'`, func(id, status string) {
				t.Errorf("the delivery of %s is %s", id, status)
			})
			t.Fatalf("%d of %d events did not arrive", in.missing(ids), len(ids))
		}
	}
}

// checkOneEventEach checks that each room has one event: a receiver could not
// recognise an event that was repeated under another id. It reads rooms and
// events together, because PostgreSQL may commit what a killed service asked
// for after that service has ended.
func checkOneEventEach(t *testing.T, where db.Config) {
	t.Helper()
	told, rooms := map[string]int{}, map[string]bool{}
	read(t, where, `SELECT type, data FROM event UNION ALL SELECT 'a room', id FROM room`, func(kind, data string) {
		if kind == "a room" {
			rooms[data] = true
			return
		}
		var e api.RoomEvent
		if err := json.Unmarshal([]byte(data), &e); err != nil || kind != string(api.EventRoomCreated) {
			t.Errorf("an event is %s %s", kind, data)
		}
		told[e.Room.ID]++
	})
	for id := range rooms {
		if told[id] != 1 {
			t.Errorf("the room %s has %d events", id, told[id])
		}
	}
	if len(rooms) != len(told) {
		t.Errorf("%d rooms have events, and %d exist", len(told), len(rooms))
	}
}

// checkDeliveries reads all deliveries from the database, together with the
// events.
func checkDeliveries(t *testing.T, where db.Config, in *inbox) {
	t.Helper()
	in.mu.Lock()
	defer in.mu.Unlock()
	known, deliveries := map[string]bool{}, 0
	read(t, where, `SELECT id, 'an event' FROM event UNION ALL SELECT event_id, status FROM webhook_delivery`, func(id, status string) {
		switch {
		case status == "an event":
			known[id] = true
			return
		case status == "succeeded" && !in.answered[id] || status == "failed":
			t.Errorf("the delivery of %s is %s; the receiver answered it: %v", id, status, in.answered[id])
		}
		deliveries++
	})
	for id := range in.bodies {
		if !known[id] {
			t.Errorf("the event %s arrived and was never committed", id)
		}
	}
	if deliveries != len(known) {
		t.Errorf("%d events have %d deliveries", len(known), deliveries)
	}
}

// stalled starts a customer's server that reports each event, and answers once
// it is released.
func stalled(t *testing.T) (url string, begun <-chan string, release chan<- struct{}) {
	t.Helper()
	events, released := make(chan string, 10), make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		events <- r.Header.Get("Webhook-Id")
		select {
		case <-released:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(web.Close)
	return web.URL, events, released
}

// A delivery that is running when the service stops is given back, and the next
// start makes it again without waiting for a lease.
func TestADeliveryThatAStopInterruptsIsMadeAtTheNextStart(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	_, key := newKey(t, where)
	url, begun, release := stalled(t)
	p := start(t, "serve", where, "--webhooks-allow-private", "--stop-timeout", "2s")
	if !strings.Contains(p.log.String(), "for development only") {
		t.Errorf("the log does not say that webhooks may go anywhere\n%s", p.log)
	}
	p.call(http.MethodPost, "/api/v1/webhooks", key, fmt.Sprintf(`{"url": %q, "events": ["*"]}`, url))
	p.call(http.MethodPost, "/api/v1/rooms", key, `{"name": "Room"}`)
	first := within(t, begun, "the delivery")
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := p.wait(); status != 0 || strings.Contains(p.log.String(), "level=ERROR") {
		t.Errorf("the exit status is %d\n%s", status, p.log)
	}
	// A process whose time ended before that logs it; then the lease has to end
	// first.
	if said := p.log.String(); !strings.Contains(said, "stopped before everything had ended") && !strings.Contains(said, "results of a queue could not be written") {
		read(t, where, `SELECT id, COALESCE('held in slot ' || CAST(slot AS TEXT), 'waiting') FROM job WHERE queue = 'webhook'`, func(id, is string) {
			if is != "waiting" {
				t.Errorf("after the stop the delivery %s is %s", id, is)
			}
		})
	}
	close(release)
	p = start(t, "serve", where, "--webhooks-allow-private")
	if again := within(t, begun, "the delivery after the stop"); again != first {
		t.Errorf("the event %s came first, %s after the stop", first, again)
	}
	p.stop()
	read(t, where, `SELECT status, CAST(attempts AS TEXT) FROM webhook_delivery`, func(status, attempts string) {
		if status != "succeeded" || attempts != "1" {
			t.Errorf("the delivery is %s after %s attempts", status, attempts)
		}
	})
}

func within[T any](t *testing.T, ch <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(patience):
		t.Fatalf("timed out waiting for %s\n%s", what, stacksOfMedia())
	}
	return v
}

// stacksOfMedia says where each goroutine of a connection to the media server is.
func stacksOfMedia() string {
	all := make([]byte, 16<<20)
	all = all[:runtime.Stack(all, true)]
	var stacks []string
	for stack := range strings.SplitSeq(string(all), "\n\n") {
		if strings.Contains(stack, "mediaclient") {
			stacks = append(stacks, stack)
		}
	}
	return strings.Join(stacks, "\n\n")
}

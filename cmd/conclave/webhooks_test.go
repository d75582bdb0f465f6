package main_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/client/webhook"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// receiver is a customer's server that verifies requests.
type receiver struct {
	*httptest.Server

	t       *testing.T
	secret  atomic.Pointer[string]
	fails   atomic.Bool
	hangsUp atomic.Bool
	events  chan webhook.Event
	headers chan http.Header
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, events: make(chan webhook.Event, 100), headers: make(chan http.Header, 100)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if r.hangsUp.Load() {
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				_ = conn.Close()
			}
			return
		}
		r.headers <- req.Header.Clone()
		h := webhook.Handler{
			Verifier: webhook.Verifier{Secrets: []string{*r.secret.Load()}},
			Receive:  r.receive,
			Refused: func(_ *http.Request, err error) {
				if !r.fails.Load() {
					t.Errorf("refused: %v", err)
				}
			},
		}
		h.ServeHTTP(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) receive(_ context.Context, e webhook.Event) error {
	if r.fails.Load() {
		return errors.New("not now")
	}
	r.events <- e
	return nil
}

// next is the next event received.
func (r *receiver) next() webhook.Event {
	r.t.Helper()
	select {
	case e := <-r.events:
		return e
	case <-time.After(patience):
		r.t.Fatal("nothing is received")
	}
	return webhook.Event{}
}

// wantRoom checks that the next event is about a room.
func (r *receiver) wantRoom(kind api.EventType, name string) webhook.Event {
	r.t.Helper()
	e := r.next()
	if data, ok := e.Data.(*api.RoomEvent); !ok || e.Type != kind || data.Room.Name != name {
		r.t.Fatalf("received %s %s, want %s about %s", e.Type, e.Raw, kind, name)
	}
	return e
}

// A developer's receiver gets what a real endpoint would get, while the service
// runs and without its help.
func TestWebhooksListen(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		service := start(t, "serve", where)
		workspace, key := newKey(t, where)
		other, otherKey := newKey(t, where)
		if other == workspace {
			t.Fatal("there is only one workspace")
		}
		service.call("POST", "/api/v1/rooms", otherKey, `{"name": "Somebody else's"}`)
		service.call("POST", "/api/v1/rooms", key, `{"name": "Before"}`)
		r, secret := newReceiver(t), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
		r.secret.Store(&secret)
		listen := spawn(t, append([]string{
			"webhooks", "listen", "--workspace", workspace, "--forward-to", r.URL + "/hooks", "--events", "room.created,room.deleted",
			"--since", "1h", "--secret", secret, "--json",
		}, at(where)...)...)
		greeting := listen.object()
		wantShape(t, "the greeting", greeting, "secret forward_to")
		if greeting["secret"] != secret {
			t.Errorf("the command signs with %v, want %s", greeting["secret"], secret)
		}
		r.wantRoom(api.EventRoomCreated, "Before")
		checkHeaders(t, <-r.headers, "application/json")
		line := listen.object()
		wantShape(t, "a line", line, "event_id event_type status error duration_ms")
		if line["status"] != 204.0 || line["error"] != nil || line["event_type"] != "room.created" {
			t.Errorf("the line is %v", line)
		}

		// Events of other types are left out. A failure is printed and not
		// repeated.
		room := newest(t, service, key)
		service.call("PATCH", "/api/v1/rooms/"+room, key, `{"name": "Renamed"}`)
		r.fails.Store(true)
		service.call("POST", "/api/v1/rooms", key, `{"name": "Refused"}`)
		if line := listen.object(); line["status"] != 500.0 || line["event_type"] != "room.created" {
			t.Errorf("the line of a refused event is %v", line)
		}
		r.fails.Store(false)
		service.call("DELETE", "/api/v1/rooms/"+room, key, "")
		r.wantRoom(api.EventRoomDeleted, "Renamed")
		listen.object()
		r.hangsUp.Store(true)
		service.call("POST", "/api/v1/rooms", key, `{"name": "Nobody takes it"}`)
		if line := listen.object(); line["status"] != nil || line["error"] != "connect_error" {
			t.Errorf("the line of an event that nobody took is %v", line)
		}
		listen.interrupt()
		service.stop()
	})
}

// newest returns the id of the newest room.
func newest(t *testing.T, service *process, key string) string {
	t.Helper()
	var rooms api.List[api.Room]
	service.get("/api/v1/rooms?limit=1", key, &rooms)
	return rooms.Data[0].ID
}

// Without --secret a secret is made with which a receiver can verify; the
// command prints it with an explanation.
func TestWebhooksListenMakesASecret(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	workspace, _ := newKey(t, where)
	r := newReceiver(t)
	listen := spawn(t, append([]string{"webhooks", "listen", "--workspace", workspace, "--forward-to", r.URL}, at(where)...)...)
	secret, found := strings.CutPrefix(listen.next(), "Signing with ")
	if !found || !strings.HasPrefix(secret, "whsec_") || len(secret) != len("whsec_")+44 {
		t.Errorf("the command signs with %q", secret)
	}
	r.secret.Store(&secret)
	if line := listen.next(); !strings.Contains(line, r.URL) {
		t.Errorf("the second line is %s", line)
	}
	var room map[string]any
	administrate(t, where, &room, "rooms", "create", "--workspace", workspace, "--name", "Any")
	e := r.wantRoom(api.EventRoomCreated, "Any")
	if line := listen.next(); !strings.Contains(line, e.ID) || !strings.Contains(line, "204 in ") {
		t.Errorf("the event is printed as %s", line)
	}
	listen.interrupt()
}

// checkHeaders checks that the headers are those of a real delivery.
func checkHeaders(t *testing.T, h http.Header, contentType string) {
	t.Helper()
	for _, name := range []string{webhook.SignatureHeader, "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
		if h.Get(name) == "" {
			t.Errorf("the header %s is missing in %v", name, h)
		}
	}
	if h.Get("Content-Type") != contentType || !strings.HasPrefix(h.Get("User-Agent"), "Conclave-Webhooks/") {
		t.Errorf("the headers are %v", h)
	}
}

// webhooks resend sends a delivered event again: to every endpoint that wants
// it, or to one.
func TestWebhooksResend(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		service := start(t, "serve", where, "--webhooks-allow-private")
		workspace, key := newKey(t, where)
		wanting, other := newReceiver(t), newReceiver(t)
		first := endpoint(t, service, key, wanting, "room.created")
		second := endpoint(t, service, key, other, "room.deleted")
		service.call("POST", "/api/v1/rooms", key, `{"name": "One"}`)
		e := wanting.wantRoom(api.EventRoomCreated, "One")
		eventually(t, service, "the service has noted the answer", func() bool {
			var made api.List[api.WebhookDelivery]
			service.get("/api/v1/webhooks/"+first+"/deliveries", key, &made)
			return len(made.Data) == 1 && made.Data[0].Status == "succeeded"
		})

		var list map[string]any
		administrate(t, where, &list, "webhooks", "resend", e.ID)
		deliveries := list["data"].([]any)
		if len(deliveries) != 1 || deliveries[0].(map[string]any)["event_id"] != e.ID {
			t.Errorf("sent again: %v", list)
		}
		if again := wanting.wantRoom(api.EventRoomCreated, "One"); again.ID != e.ID {
			t.Errorf("the event came again as %s, want %s", again.ID, e.ID)
		}
		administrate(t, where, &list, "webhooks", "resend", e.ID, "--webhook", second)
		if again := other.wantRoom(api.EventRoomCreated, "One"); again.ID != e.ID {
			t.Errorf("the other endpoint got %s, want %s", again.ID, e.ID)
		}

		administrate(t, where, &list, "webhooks", "list", "--workspace", workspace)
		var known map[string]any
		service.get("/api/v1/webhooks", key, &known)
		if a, b := text(t, list), text(t, known); a != b || !strings.Contains(a, first) {
			t.Errorf("the command line lists %s, the service %s", a, b)
		}
		checkResendRefusals(t, where, e.ID, service, key, first)
		service.stop()
	})
}

// endpoint makes an endpoint of a receiver.
func endpoint(t *testing.T, service *process, key string, r *receiver, kind string) string {
	t.Helper()
	status, body := service.call("POST", "/api/v1/webhooks", key, `{"url": "`+r.URL+`", "events": ["`+kind+`"]}`)
	var made api.WebhookEndpointCreated
	if err := json.Unmarshal(body, &made); err != nil || status != http.StatusCreated {
		t.Fatalf("make an endpoint: %d %s", status, body)
	}
	r.secret.Store(&made.Secret)
	return made.ID
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func checkResendRefusals(t *testing.T, where db.Config, eventID string, service *process, key, endpointID string) {
	t.Helper()
	service.call("PATCH", "/api/v1/webhooks/"+endpointID, key, `{"enabled": false}`)
	const nobody = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"evt_00000000000000000000000000"}, "There is no event with this id"},
		{[]string{eventID}, "no enabled webhook endpoint that is subscribed to room.created"},
		{[]string{eventID, "--webhook", nobody}, "no webhook endpoint with this id"},
		{[]string{eventID, "--webhook", endpointID}, "disabled"},
	} {
		r := command(t, append(append([]string{"webhooks", "resend"}, c.args...), at(where)...)...)
		if r.status != 1 || !strings.Contains(r.stderr, c.says) || r.stdout != "" {
			t.Errorf("conclave webhooks resend %v: status %d, %q %q; want a sentence with %q", c.args, r.status, r.stdout, r.stderr, c.says)
		}
	}
}

func TestWebhooksRefusals(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	workspace, _ := newKey(t, where)
	listen := []string{"webhooks", "listen", "--workspace", workspace, "--forward-to"}
	const nobody = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{append(listen, "localhost:3000"), 1, "--forward-to"},
		{append(listen, "ftp://localhost/"), 1, "--forward-to"},
		{append(listen, "http://localhost/", "--events", "room.exploded"), 1, "room.exploded"},
		{append(listen, "http://localhost/", "--secret", "hunter2"), 1, "--secret"},
		{append(listen, "http://localhost/", "--since", "tomorrow"), 2, "tomorrow"},
		{[]string{"webhooks", "listen", "--workspace", nobody, "--forward-to", "http://localhost/"}, 1, "There is no workspace with this id"},
		{[]string{"webhooks", "list", "--workspace", nobody}, 1, "There is no workspace with this id"},
		{[]string{"webhooks", "resend"}, 2, "event-id"},
	} {
		r := command(t, append(c.args[:len(c.args):len(c.args)], "--data", where.Dir)...)
		if r.status != c.status || !strings.Contains(r.stderr, c.says) || r.stdout != "" {
			t.Errorf("conclave %v: status %d, %q %q; want status %d and a sentence with %q", c.args, r.status, r.stdout, r.stderr, c.status, c.says)
		}
	}
}

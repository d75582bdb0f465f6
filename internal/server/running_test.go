package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/logtest"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/server"
)

// running is the whole service with its embedded media server, used by an
// integrator and by people with LiveKit's own Go client.
type running struct {
	url       string
	key       string
	workspace string
	service   *server.Server
	book      *logtest.Book // at debug level
	client    *http.Client

	mu      sync.Mutex
	secrets []string // all secrets that were handed out
}

// issued notes secrets that must not appear in the log.
func (r *running) issued(secrets ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = append(r.secrets, secrets...)
}

// keepsSecrets fails the test when a secret is in the log.
func keepsSecrets(t *testing.T, log string, secrets []string) {
	t.Helper()
	if log == "" || len(secrets) < 3 {
		t.Errorf("%d bytes of log and %d secrets: too little to say anything", len(log), len(secrets))
	}
	for _, secret := range secrets {
		if i := strings.Index(log, secret); i >= 0 {
			t.Errorf("a secret stands in the log, after %q", log[max(0, i-200):i])
		}
	}
}

// start runs the service until the end of the test.
func start(t *testing.T) *running {
	t.Helper()
	return startAs(t, server.Options{}, func(*config.Serve) {})
}

// startAs is start with other options or configuration.
func startAs(t *testing.T, o server.Options, change func(*config.Serve)) *running {
	t.Helper()
	ctx := limited(t)
	var err error
	if o.Listener == nil {
		if o.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	address := o.Listener.Addr().String()
	c := config.Serve{
		Data: config.Data{Data: t.TempDir(), PublicURL: "http://" + address}, Listener: config.Listener{Listen: address}, StopTimeout: 5 * time.Second, RateLimits: "off",
		MediaNodeIP: "127.0.0.1",
	}
	change(&c)
	book := &logtest.Book{}
	s, err := server.New(ctx, c, slog.New(slog.NewTextHandler(book, &slog.HandlerOptions{Level: slog.LevelDebug})), o)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := s.Identity.CreateWorkspace(ctx, "Test", "owner@example.com")
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := s.Identity.CreateKey(ctx, identity.KeyRequest{WorkspaceID: w.ID, Scopes: api.Scopes()})
	if err != nil {
		t.Fatal(err)
	}
	r := &running{url: c.PublicURL, key: key, workspace: w.ID, service: s, book: book, client: http.DefaultClient}
	r.issued(key)
	run, stop := context.WithCancel(context.Background())
	up, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- s.Run(run, func() { close(up) }) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the service ended with: %v", err)
		}
		keepsSecrets(t, book.String(), r.secrets)
	})
	select {
	case <-up:
	case err := <-done:
		done <- err
		t.Fatal("the service did not start")
	case <-ctx.Done():
		t.Fatal("the service did not start in time")
	}
	return r
}

// freeAddress is an address where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = free.Close() }()
	return free.Addr().String()
}

// limited bounds one step of a test, so that a step that hangs is known.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// call sends a request and decodes the answer into out.
func (r *running) call(t *testing.T, method, path, bearer string, in, out any) int {
	t.Helper()
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(limited(t), method, r.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+bearer)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := r.client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, _ := io.ReadAll(res.Body)
	if res.StatusCode/100 == 2 && out != nil {
		if err := json.Unmarshal(text, out); err != nil {
			t.Fatalf("%s %s: %v in %s", method, path, err, text)
		}
	}
	return res.StatusCode
}

// api is call with the key, where only success is accepted.
func (r *running) api(t *testing.T, method, path string, in, out any) {
	t.Helper()
	if status := r.call(t, method, "/api/v1"+path, r.key, in, out); status/100 != 2 {
		t.Fatalf("%s %s: status %d", method, path, status)
	}
}

func (r *running) room(t *testing.T, settings map[string]any) api.Room {
	t.Helper()
	var room api.Room
	r.api(t, http.MethodPost, "/rooms", map[string]any{"name": "Room", "settings": settings}, &room)
	return room
}

func (r *running) token(t *testing.T, room api.Room, name, role string) api.RoomToken {
	t.Helper()
	var token api.RoomToken
	r.api(t, http.MethodPost, "/rooms/"+room.ID+"/tokens", map[string]any{"name": name, "role": role, "user_id": name}, &token)
	r.issued(token.Token, token.E2EEPassphrase)
	return token
}

func (r *running) join(t *testing.T, token api.RoomToken) *mediaclient.Participant {
	t.Helper()
	return mediatest.Join(t, mediaclient.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase})
}

func (r *running) people(t *testing.T, room api.Room) map[string]api.Participant {
	t.Helper()
	var list api.List[api.Participant]
	r.within(t, patience, "the list is answered", func() bool {
		status := r.call(t, http.MethodGet, "/api/v1/rooms/"+room.ID+"/participants", r.key, nil, &list)
		if status/100 != 2 && status != http.StatusServiceUnavailable { // a media server that is overloaded is asked again
			t.Fatalf("the list of participants: status %d", status)
		}
		return status/100 == 2
	})
	by := map[string]api.Participant{}
	for _, p := range list.Data {
		by[p.Name] = p
	}
	return by
}

// patience is how long a test waits for something whose time does not matter.
const patience = 20 * time.Second

// within polls until a condition holds.
func (r *running) within(t *testing.T, limit time.Duration, what string, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for !so() {
		if time.Now().After(deadline) {
			t.Fatalf("not true after %v: %s", limit, what)
		}
		time.Sleep(50 * time.Millisecond) // only a request shows it, so this polls
	}
}

// answersReady waits until /readyz answers with a status, and says something. The
// service remembers an answer for a moment.
func (r *running) answersReady(t *testing.T, status int, says string) {
	t.Helper()
	r.within(t, patience, fmt.Sprintf("/readyz answers %d with %s", status, says), func() bool {
		res := r.ask(t, "/readyz", "")
		body, err := io.ReadAll(res.Body)
		return err == nil && res.StatusCode == status && strings.Contains(string(body), says)
	})
}

// webinar makes a room that the API cannot make, as the command line does.
func (r *running) webinar(t *testing.T) api.Room {
	t.Helper()
	members, err := r.service.Identity.Members(limited(t), r.workspace)
	if err != nil {
		t.Fatal(err)
	}
	made, err := r.service.Rooms.Create(limited(t), auth.Principal{WorkspaceID: r.workspace, AccountID: members[0].AccountID}, schema.Filled(api.RoomCreate{Name: "Webinar"}), "webinar")
	if err != nil {
		t.Fatal(err)
	}
	return made.Object(r.url)
}

// events are the events of one room, in short.
func (r *running) events(t *testing.T, room api.Room) []string {
	t.Helper()
	var out []string
	err := r.service.DB().Read(limited(t), func(tx *db.Tx) error {
		all, err := r.service.Events.List(limited(t), tx, event.Filter{})
		for _, e := range all {
			var data struct {
				Room   struct{ ID string }
				Reason string
			}
			if err := json.Unmarshal(e.Data, &data); err != nil {
				return err
			}
			if data.Room.ID == room.ID {
				out = append(out, strings.TrimSpace(string(e.Type)+" "+data.Reason))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

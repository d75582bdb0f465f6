package gate_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/gate"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// testGate is a gate in front of a real media server. The token "ticket-of-<name>"
// lets a client through under that name unless shut.
type testGate struct {
	gate   *gate.Gate
	server *livekit.Embedded
	front  *httptest.Server
	url    string
	shut   atomic.Bool
	asked  chan string // receives the name of each client that asks to come in
}

func newTestGate(t *testing.T) *testGate {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	h, err := openTestGate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.close(context.WithoutCancel(ctx)) })
	return h
}

func openTestGate(ctx context.Context) (*testGate, error) {
	log := slog.New(slog.DiscardHandler)
	server, err := livekit.Embed(ctx, livekit.EmbedConfig{
		APIKey: "test-key", APISecret: "test-secret-of-more-than-32-characters", NodeIP: "127.0.0.1", Logger: log,
	})
	if err != nil {
		return nil, fmt.Errorf("open the gate: %w", err)
	}
	h := &testGate{server: server, asked: make(chan string, 64)}
	if _, err := server.EnsureRoom(ctx, "r"); err != nil {
		h.close(ctx)
		return nil, fmt.Errorf("open the gate: %w", err)
	}
	h.gate = &gate.Gate{
		Upstream: server.Upstream(), Logger: log,
		Verify:     func(token string) (string, error) { return nameIn(token), nil },
		LetThrough: h.letThrough,
	}
	h.gate.Check = func(_ context.Context, token string, _ *http.Request) error {
		if nameIn(token) == "" || h.shut.Load() {
			return fault.New(fault.Forbidden, "room_locked", "The room is locked, really.")
		}
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("/rtc", h.gate)
	mux.Handle("/rtc/", h.gate)
	mux.HandleFunc("/generation", h.generation)
	h.front = httptest.NewServer(mux)
	h.url = "ws" + strings.TrimPrefix(h.front.URL, "http")
	return h, nil
}

func (h *testGate) letThrough(_ context.Context, token string, _ *http.Request) (gate.Decision, error) {
	name := nameIn(token)
	select {
	case h.asked <- name:
	default: // nobody listens
	}
	if name == "" || h.shut.Load() {
		return gate.Decision{}, fault.New(fault.Forbidden, "room_locked", "The room is locked, really.")
	}
	upstream, err := h.server.MintToken(media.Grant{
		Room: "r", Identity: name, TTL: time.Minute, PublishData: true, OwnAttributes: true,
		PublishSources: []media.Source{media.Microphone, media.Camera},
	})
	return gate.Decision{Token: upstream, Identity: name, Room: "r"}, err
}

// generation returns the id of the room on the media server. It changes when
// the media server restarts.
func (h *testGate) generation(w http.ResponseWriter, r *http.Request) {
	rooms, err := h.server.Rooms(r.Context(), "r")
	if err != nil || len(rooms) != 1 {
		http.Error(w, "no room", http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, rooms[0].Generation)
}

func (h *testGate) close(ctx context.Context) {
	if h.front != nil {
		h.front.Close()
	}
	_ = h.server.Stop(ctx)
}

// nameIn reads the test's kind of token. A token of the media server opens
// nothing: clients that reconnect use the token they came with.
func nameIn(token string) string {
	name, ok := strings.CutPrefix(token, "ticket-of-")
	if !ok {
		return ""
	}
	return name
}

func options(url, name string) mediaclient.Options {
	return mediaclient.Options{URL: url, Token: "ticket-of-" + name, Passphrase: "the passphrase"}
}

// target is the gate to which a test sends attacks. Its media server is started
// again when it crashes.
type target struct {
	url     string
	service *service // nil: the test's own
	room    string   // the id of the room at the beginning
}

func newTarget(t *testing.T) *target {
	t.Helper()
	return begin(t, &target{url: newTestGate(t).url})
}

// begin notes the id of the room at the beginning.
func begin(t *testing.T, at *target) *target {
	t.Helper()
	var err error
	if at.room, err = at.generation(t.Context()); err != nil {
		t.Fatal(err)
	}
	return at
}

// options makes the options with which a person connects.
func (at *target) options(t *testing.T, name string) mediaclient.Options {
	t.Helper()
	if at.service != nil {
		return at.service.options(t, name)
	}
	return options(at.url, name)
}

func (at *target) generation(ctx context.Context) (string, error) {
	if at.service != nil {
		return at.service.restarts(ctx)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http"+strings.TrimPrefix(at.url, "ws")+"/generation", http.NoBody)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = errors.New(string(text))
	}
	return string(text), err
}

// over says whether the media server has crashed since the beginning: then the
// room has another id, or is gone.
func (at *target) over(ctx context.Context) bool {
	now, err := at.generation(ctx)
	return err != nil || now != at.room
}

// lives fails the test when the media server has crashed.
func (at *target) lives(t *testing.T) {
	t.Helper()
	if at.over(t.Context()) {
		t.Fatal("the media server ended")
	}
}

// hears waits until listener has received sound and pictures of speaker for a
// second.
func (at *target) hears(ctx context.Context, t *testing.T, listener *mediaclient.Participant, speaker string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for source, n := range map[media.Source]int{media.Microphone: 50, media.Camera: 15} {
		if err := listener.WaitFrames(ctx, speaker, source, n); err != nil {
			at.lives(t)
			t.Fatalf("%s of %s does not go on: %v", source, speaker, err)
		}
	}
}

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
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// house is a gate in front of a real media server. A client with the
// token "ticket-of-<name>" comes in as that name, unless shut.
type house struct {
	gate   *gate.Gate
	server *livekit.Embedded
	front  *httptest.Server
	url    string
	shut   atomic.Bool
	asked  chan string // who asked to come in, each time
}

func newHouse(t *testing.T) *house {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	h, err := openHouse(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.close(context.WithoutCancel(ctx)) })
	return h
}

func openHouse(ctx context.Context) (*house, error) {
	log := slog.New(slog.DiscardHandler)
	server, err := livekit.Embed(ctx, livekit.EmbedConfig{
		APIKey: "test-key", APISecret: "test-secret-of-more-than-32-characters", NodeIP: "127.0.0.1", Logger: log,
	})
	if err != nil {
		return nil, fmt.Errorf("open the house: %w", err)
	}
	h := &house{server: server, asked: make(chan string, 64)}
	if _, err := server.EnsureRoom(ctx, "r"); err != nil {
		h.close(ctx)
		return nil, fmt.Errorf("open the house: %w", err)
	}
	h.gate = &gate.Gate{
		Upstream: server.Upstream(), Logger: log,
		Verify: func(token string) (string, error) { return nameIn(token), nil },
		Admit:  h.admit,
	}
	h.gate.Ask = func(_ context.Context, token string, _ *http.Request) error {
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

func (h *house) admit(_ context.Context, token string, _ *http.Request) (gate.Decision, error) {
	name := nameIn(token)
	select {
	case h.asked <- name:
	default: // nobody listens
	}
	if name == "" || h.shut.Load() {
		return gate.Decision{}, fault.New(fault.Forbidden, "room_locked", "The room is locked, really.")
	}
	upstream, err := h.server.MintToken(media.Grant{
		Room: "r", Identity: name, TTL: time.Minute, PublishData: true, Rename: true,
		PublishSources: []media.Source{media.Microphone, media.Camera},
	})
	return gate.Decision{Token: upstream, Identity: name, Room: "r"}, err
}

// generation answers which room it is. A media server that ended and began
// anew has another one.
func (h *house) generation(w http.ResponseWriter, r *http.Request) {
	rooms, err := h.server.Rooms(r.Context(), "r")
	if err != nil || len(rooms) != 1 {
		http.Error(w, "no room", http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, rooms[0].Generation)
}

func (h *house) close(ctx context.Context) {
	if h.front != nil {
		h.front.Close()
	}
	_ = h.server.Stop(ctx)
}

// nameIn reads our kind of token. The media server's own opens nothing: people
// who come back do so with the token they came with.
func nameIn(token string) string {
	name, ok := strings.CutPrefix(token, "ticket-of-")
	if !ok {
		return ""
	}
	return name
}

func options(url, name string) mediatest.Options {
	return mediatest.Options{URL: url, Token: "ticket-of-" + name, Passphrase: "the passphrase"}
}

// elsewhere is a house whose media server may end. It is a process of its own,
// and another one follows it.
type elsewhere struct {
	url     string
	service *service // nil: a house of the test's own
	room    string   // the generation of the room at the beginning
}

func newElsewhere(t *testing.T) *elsewhere {
	t.Helper()
	return begin(t, &elsewhere{url: newHouse(t).url})
}

// begin notes which room it is at the beginning.
func begin(t *testing.T, e *elsewhere) *elsewhere {
	t.Helper()
	var err error
	if e.room, err = e.generation(t.Context()); err != nil {
		t.Fatal(err)
	}
	return e
}

// options are how somebody comes in.
func (e *elsewhere) options(t *testing.T, name string) mediatest.Options {
	t.Helper()
	if e.service != nil {
		return e.service.options(t, name)
	}
	return options(e.url, name)
}

func (e *elsewhere) generation(ctx context.Context) (string, error) {
	if e.service != nil {
		return e.service.restarts(ctx)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http"+strings.TrimPrefix(e.url, "ws")+"/generation", http.NoBody)
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

// over says whether the media server has ended since the beginning. The one
// that follows has another room, or none.
func (e *elsewhere) over(ctx context.Context) bool {
	now, err := e.generation(ctx)
	return err != nil || now != e.room
}

// lives fails when the media server has ended.
func (e *elsewhere) lives(t *testing.T) {
	t.Helper()
	if e.over(t.Context()) {
		t.Fatal("the media server ended")
	}
}

// hears waits until somebody goes on hearing and seeing another for a second.
func (e *elsewhere) hears(ctx context.Context, t *testing.T, listener *mediatest.Participant, speaker string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for source, n := range map[media.Source]int{media.Microphone: 50, media.Camera: 15} {
		if err := listener.WaitFrames(ctx, speaker, source, n); err != nil {
			e.lives(t)
			t.Fatalf("%s of %s does not go on: %v", source, speaker, err)
		}
	}
}

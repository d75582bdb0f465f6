package gate_test

import (
	"context"
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

// house is a gate in front of a real media server. Whoever brings the token
// "ticket-of-<name>" comes in as that name, unless shut.
type house struct {
	gate  *gate.Gate
	url   string
	shut  atomic.Bool
	asked chan string // who asked to come in, each time
}

func newHouse(t *testing.T) *house {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	log := slog.New(slog.DiscardHandler)
	server, err := livekit.Embed(ctx, livekit.EmbedConfig{
		APIKey: "test-key", APISecret: "test-secret-of-more-than-32-characters", NodeIP: "127.0.0.1", Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.WithoutCancel(ctx)) })
	if _, err := server.EnsureRoom(ctx, "r"); err != nil {
		t.Fatal(err)
	}
	h := &house{asked: make(chan string, 64)}
	h.gate = &gate.Gate{
		Upstream: server.Upstream(), Logger: log,
		Verify: func(token string) (string, error) { return nameIn(token), nil },
		Admit: func(_ context.Context, token string, r *http.Request) (gate.Decision, error) {
			name := nameIn(token)
			h.asked <- name
			if name == "" || h.shut.Load() {
				return gate.Decision{}, fault.New(fault.Forbidden, "room_locked", "The room is locked, really.")
			}
			upstream, err := server.MintToken(media.Grant{
				Room: "r", Identity: name, TTL: time.Minute, PublishSources: []media.Source{media.Microphone, media.Camera},
			})
			return gate.Decision{Token: upstream, Identity: name, Room: "r"}, err
		},
	}
	h.gate.Ask = func(_ context.Context, token string, _ *http.Request) error {
		if nameIn(token) == "" || h.shut.Load() {
			return fault.New(fault.Forbidden, "room_locked", "The room is locked, really.")
		}
		return nil
	}
	front := httptest.NewServer(h.gate)
	t.Cleanup(front.Close)
	h.url = "ws" + strings.TrimPrefix(front.URL, "http")
	return h
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

func (h *house) options(name string) mediatest.Options {
	return mediatest.Options{URL: h.url, Token: "ticket-of-" + name, Passphrase: "the passphrase"}
}

// Two people meet through the gate, one of them loses the signalling and comes
// back through it without losing the sound, and then the door is shut.
func TestPeopleMeetThroughTheGate(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ada, ben := mediatest.Join(t, h.options("ada")), mediatest.Join(t, h.options("ben"))
	want(t, "asked first", <-h.asked, "ada")
	want(t, "asked then", <-h.asked, "ben")
	for _, source := range []media.Source{media.Microphone, media.Camera} {
		if _, err := ada.Publish(ctx, source); err != nil {
			t.Fatal(err)
		}
		if err := ben.WaitFrames(ctx, "ada", source, 10); err != nil {
			t.Fatal(err)
		}
	}

	session := ada.SessionID()
	want(t, "cut", h.gate.Disconnect("ada"), 1)
	select {
	case name := <-h.asked:
		want(t, "asked again", name, "ada")
	case <-ctx.Done():
		t.Fatal("did not come back")
	}
	if err := ben.WaitFrames(ctx, "ada", media.Microphone, 50); err != nil {
		t.Error(err)
	}
	want(t, "session after coming back", ada.SessionID(), session)

	h.shut.Store(true)
	_, err := mediatest.Connect(ctx, h.options("eve"))
	if err == nil || !strings.Contains(err.Error(), "The room is locked, really.") {
		t.Errorf("refused with %v", err)
	}
}

// Everybody in a room is told the names of tracks, so people who give theirs
// enormous ones are not to be heard by the media server at all: Ben goes on
// hearing Ada, and Dan comes in.
func TestEnormousNamesReachNobody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ada, ben := mediatest.Join(t, h.options("ada")), mediatest.Join(t, h.options("ben"))
	if _, err := ada.Publish(ctx, media.Microphone); err != nil {
		t.Fatal(err)
	}
	if err := ben.WaitFrames(ctx, "ada", media.Microphone, 10); err != nil {
		t.Fatal(err)
	}
	for len(h.asked) > 0 {
		<-h.asked
	}
	for _, name := range []string{"eve", "mallory"} {
		loud := mediatest.Join(t, h.options(name))
		want(t, "asked", <-h.asked, name)
		publishing, stop := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() {
			_, err := loud.PublishNamed(publishing, media.Microphone, strings.Repeat("x", 1_200_000))
			if err == nil {
				t.Error("published under an enormous name")
				h.asked <- name // nobody will
			}
			done <- err
		}()
		want(t, "cut, and back", <-h.asked, name)
		stop()
		<-done
	}
	mediatest.Join(t, h.options("dan"))
	if err := ben.WaitFrames(ctx, "ada", media.Microphone, 100); err != nil {
		t.Error(err)
	}
}

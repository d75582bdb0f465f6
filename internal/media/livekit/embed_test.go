package livekit_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media/livekit"
)

func TestEmbedStartsAndStopsQuickly(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	begin := time.Now()
	e, err := livekit.Embed(ctx, config())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("started in %s", time.Since(begin))
	if err := e.Ready(ctx); err != nil {
		t.Errorf("ready: %v", err)
	}
	room, err := e.EnsureRoom(ctx, "r")
	if err != nil || room.Generation == "" {
		t.Errorf("room: %+v, %v", room, err)
	}
	if h := <-e.Hints(); h.Room != "r" {
		t.Errorf("hint: %+v", h)
	}
	begin = time.Now()
	if err := e.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
	t.Logf("stopped in %s", time.Since(begin))
	if err := e.Stop(ctx); err != nil {
		t.Errorf("stop again: %v", err)
	}
	if err := e.Ready(ctx); err == nil {
		t.Error("ready after it stopped")
	}
}

func TestEmbedRefuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*livekit.EmbedConfig){
		"no key":             func(c *livekit.EmbedConfig) { c.APIKey = "" },
		"a short secret":     func(c *livekit.EmbedConfig) { c.APISecret = "secret" },
		"no logger":          func(c *livekit.EmbedConfig) { c.Logger = nil },
		"a name for address": func(c *livekit.EmbedConfig) { c.NodeIP = "example.com" },
	} {
		c := config()
		change(&c)
		if e, err := livekit.Embed(t.Context(), c); err == nil {
			t.Errorf("%s: embedded", name)
			_ = e.Stop(t.Context())
		}
	}
}

func TestConnectAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"ws://media.example.com":         "ws://media.example.com",
		"wss://media.example.com/":       "wss://media.example.com",
		"http://127.0.0.1:7880":          "ws://127.0.0.1:7880",
		"https://media.example.com/sub/": "wss://media.example.com/sub",
		"media.example.com":              "",
		"ftp://media.example.com":        "",
		"wss://":                         "",
		"":                               "",
	} {
		s, err := livekit.Connect(address, "key", "secret")
		switch {
		case err != nil && want != "":
			t.Errorf("%q: %v", address, err)
		case err == nil && s.Upstream() != want:
			t.Errorf("%q: got %q, want %q", address, s.Upstream(), want)
		}
	}
}

// Connect reaches the package's embedded server by its address, like an
// external one.
func TestConnect(t *testing.T) {
	t.Parallel()
	s, err := livekit.Connect(shared.Upstream(), testKey, testSecret)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
	wrong, err := livekit.Connect(shared.Upstream(), testKey, "another-secret-of-more-than-32-characters")
	if err != nil {
		t.Fatal(err)
	}
	if err := wrong.Ready(t.Context()); err == nil {
		t.Error("ready with a wrong secret")
	}
	gone, err := livekit.Connect("ws://127.0.0.1:1", testKey, testSecret)
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Ready(t.Context()); err == nil {
		t.Error("ready where nothing listens")
	}
}

func TestHintsAreSigned(t *testing.T) {
	t.Parallel()
	s, err := livekit.Connect("ws://127.0.0.1:1", testKey, testSecret)
	if err != nil {
		t.Fatal(err)
	}
	for name, header := range map[string]http.Header{
		"nothing": {},
		"junk":    {"Authorization": {"Bearer junk"}},
		// Signed with the right key, for another body.
		"another body": {"Authorization": {token(t, s)}},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewBufferString(`{"event":"participant_left","room":{"name":"r"}}`))
		r.Header = header
		s.HintHandler().ServeHTTP(w, r)
		if w.Code != http.StatusUnauthorized {
			t.Errorf("%s: status %d", name, w.Code)
		}
	}
	if n := len(s.Hints()); n != 0 {
		t.Errorf("%d hints came of it", n)
	}
}

func token(t *testing.T, s *livekit.Server) string {
	t.Helper()
	token, err := s.MintToken((&place{room: "r"}).grant("ada"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(token, ".") != 2 {
		t.Fatalf("not a token: %s", token)
	}
	return token
}

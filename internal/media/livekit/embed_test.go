package livekit_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/conclave-rooms/conclave/internal/media"
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

// Requests that come together open more connections than they use. A connection
// that never carried a request does not hold up the end of the media server.
func TestEmbedStopsAfterABurstOfRequests(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	e, err := livekit.Embed(ctx, config())
	if err != nil {
		t.Fatal(err)
	}
	var burst sync.WaitGroup
	for range 100 {
		burst.Go(func() { _ = e.Ready(ctx) })
	}
	burst.Wait()
	// The service gives the media server three seconds to stop. The media server would
	// wait for such a connection for five.
	stop, cut := context.WithTimeout(t.Context(), 3*time.Second)
	defer cut()
	if err := e.Stop(stop); err != nil {
		t.Error(err)
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
		s, err := livekit.Connect(address, "key", "secret", time.Now)
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
	s, err := livekit.Connect(shared.Upstream(), testKey, testSecret, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
	wrong, err := livekit.Connect(shared.Upstream(), testKey, "another-secret-of-more-than-32-characters", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := wrong.Ready(t.Context()); err == nil {
		t.Error("ready with a wrong secret")
	}
	gone, err := livekit.Connect("ws://127.0.0.1:1", testKey, testSecret, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Ready(t.Context()); err == nil {
		t.Error("ready where nothing listens")
	}
}

func TestHintsAreSigned(t *testing.T) {
	t.Parallel()
	s, err := livekit.Connect("ws://127.0.0.1:1", testKey, testSecret, time.Now)
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

// A webhook that comes through a network may be an old one, so it says only where to
// look, and it has to be signed for a time and of a usual size.
func TestHintsOfAnExternalServer(t *testing.T) {
	t.Parallel()
	s, err := livekit.Connect("ws://127.0.0.1:1", testKey, testSecret, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	post := func(body, signature string) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Authorization", signature)
		s.HintHandler().ServeHTTP(w, r)
		return w.Code
	}
	body := `{"event":"participant_left","room":{"name":"r"},"participant":{"identity":"ada","disconnectReason":"CLIENT_INITIATED"}}`
	if status := post(body, webhookToken(t, body, time.Now())); status != http.StatusOK {
		t.Fatalf("a webhook is answered with %d", status)
	}
	if got, want := <-s.Hints(), (media.Hint{Kind: media.HintOther, Room: "r"}); got != want {
		t.Errorf("the hint is %+v, want %+v", got, want)
	}
	large := `{"event":"` + strings.Repeat("x", 1<<18) + `"}`
	for name, c := range map[string]struct {
		body, signature string
		want            int
	}{
		"a large body":             {large, webhookToken(t, large, time.Now()), http.StatusBadRequest},
		"no JSON":                  {"room", webhookToken(t, "room", time.Now()), http.StatusBadRequest},
		"a token without an end":   {body, endless(t, body), http.StatusUnauthorized},
		"the token of another one": {large, webhookToken(t, body, time.Now()), http.StatusBadRequest},
	} {
		if got := post(c.body, c.signature); got != c.want {
			t.Errorf("%s is answered with %d, want %d", name, got, c.want)
		}
	}
	if n := len(s.Hints()); n != 0 {
		t.Errorf("%d hints came of it", n)
	}
}

// A service on a machine with a wrong clock passes a better one to Connect. It makes and
// checks tokens by that clock, because LiveKit refuses tokens that are an hour off.
func TestAnExternalServersTokensGoByTheGivenClock(t *testing.T) {
	t.Parallel()
	for _, by := range []time.Duration{0, time.Hour, -time.Hour} {
		s, err := livekit.Connect(shared.Upstream(), testKey, testSecret, func() time.Time { return time.Now().Add(by) })
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Ready(t.Context()); (err == nil) != (by == 0) {
			t.Errorf("with a clock that is ahead by %v, the server is asked with the result: %v", by, err)
		}
		var made jwt.RegisteredClaims
		if _, _, err := jwt.NewParser().ParseUnverified(token(t, s), &made); err != nil {
			t.Fatal(err)
		}
		if off := time.Since(made.NotBefore.Time) + by; off.Abs() > time.Minute {
			t.Errorf("with a clock that is ahead by %v, a token is valid from %v", by, made.NotBefore)
		}
		for _, at := range []time.Duration{by, by + time.Hour, by - time.Hour} {
			body := `{"event":"participant_left","room":{"name":"r"}}`
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
			r.Header.Set("Authorization", webhookToken(t, body, time.Now().Add(at)))
			s.HintHandler().ServeHTTP(w, r)
			if isTaken := w.Code == http.StatusOK; isTaken != (at == by) {
				t.Errorf("a hint that was signed %v before is answered with %d", by-at, w.Code)
			}
		}
	}
}

// webhookToken signs a webhook as LiveKit does.
func webhookToken(t *testing.T, body string, at time.Time) string {
	t.Helper()
	return signed(t, body, jwt.MapClaims{"nbf": at.Unix(), "exp": at.Add(5 * time.Minute).Unix()})
}

// endless signs a webhook for ever, which LiveKit does not.
func endless(t *testing.T, body string) string {
	t.Helper()
	return signed(t, body, jwt.MapClaims{})
}

func signed(t *testing.T, body string, claims jwt.MapClaims) string {
	t.Helper()
	sum := sha256.Sum256([]byte(body))
	claims["iss"], claims["sha256"] = testKey, base64.StdEncoding.EncodeToString(sum[:])
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(testSecret))
	if err != nil {
		t.Fatal(err)
	}
	return token
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

// The hook asks a database that does not answer. A stop does not wait for it.
func TestEmbedStopsWhileAHookHangs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e, err := livekit.Embed(ctx, config())
	if err != nil {
		t.Fatal(err)
	}
	called, answer := make(chan struct{}), make(chan struct{})
	e.SetHooks(livekit.Hooks{Returned: func() {
		close(called)
		<-answer
	}})
	process, err := os.FindProcess(e.Process())
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	<-called
	stopped := make(chan error, 1)
	go func() { stopped <- e.Stop(ctx) }()
	select {
	case err := <-stopped:
		if err != nil {
			t.Errorf("stop: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the stop waits for the hook")
	}
	close(answer)
}

package server_test

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/server"
)

// externalLiveKit starts a LiveKit as an operator does who keeps one running: another
// process, of which a service knows only the address and the key pair.
func externalLiveKit(t *testing.T) (address, key, secret string) {
	t.Helper()
	key, secret = "operator", "the-secret-of-the-operators-own-livekit"
	alone, err := livekit.Embed(limited(t), livekit.EmbedConfig{APIKey: key, APISecret: secret, NodeIP: "127.0.0.1", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_ = alone.Stop(ctx)
	})
	return alone.Upstream(), key, secret
}

// customer is a customer's server that receives webhooks.
type customer struct {
	mu  sync.Mutex
	got []heard
}

// heard is what a webhook says.
type heard struct {
	ID   string
	Type string
	Data struct {
		Room    struct{ ID string }
		Session struct{ Reason string }
		Reason  string
	}
}

func (c *customer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var one heard
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &one)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, one)
}

// about lists the webhooks about one room, abbreviated, in the order of their events.
// Ids sort by time.
func (c *customer) about(room api.Room) (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.SortFunc(c.got, func(a, b heard) int { return strings.Compare(a.ID, b.ID) })
	for _, one := range c.got {
		if one.Data.Room.ID == room.ID {
			all = append(all, strings.TrimSpace(one.Type+" "+cmp.Or(one.Data.Reason, one.Data.Session.Reason)))
		}
	}
	return all
}

// People meet on a LiveKit server of the operator's own. They can only come through the
// gate, the API can remove them, and webhooks report both.
func TestAMeetingOnAnExternalLiveKit(t *testing.T) {
	t.Parallel()
	address, key, secret := externalLiveKit(t)
	r := startAs(t, server.Options{}, func(c *config.Serve) {
		c.MediaURL, c.MediaAPIKey, c.MediaAPISecret, c.WebhooksAllowPrivate = address, key, secret, true
	})
	r.issued(secret)
	told := &customer{}
	receiver := httptest.NewServer(told)
	t.Cleanup(receiver.Close)
	r.api(t, http.MethodPost, "/webhooks", map[string]any{"url": receiver.URL, "events": []string{"*"}}, nil)
	room := r.room(t, nil)

	token := r.token(t, room, "Ada", "host")
	ada, stock, eve := r.join(t, token), r.joinStock(t, r.token(t, room, "Stock", "participant")), r.join(t, r.token(t, room, "Eve", "participant"))
	r.within(t, patience, "all are in", func() bool { return len(r.people(t, room)) == 3 })
	opensNothing(t, address, token)
	if _, err := ada.Publish(limited(t), media.Microphone); err != nil {
		t.Fatal(err)
	}
	if err := stock.Speak(); err != nil {
		t.Fatal(err)
	}
	hearEachOther(t, ada, stock)

	r.api(t, http.MethodDelete, "/rooms/"+room.ID+"/participants/"+eve.Identity(), nil, nil)
	out(t, "Eve, who was removed,", eve.Gone())
	r.within(t, patience, "two are in", func() bool { return len(r.people(t, room)) == 2 })
	hearEachOther(t, ada, stock)
	r.api(t, http.MethodPost, "/rooms/"+room.ID+"/end", nil, nil)
	out(t, "Ada", ada.Gone())
	out(t, "the stock client", stock.Gone())

	want := []string{
		"room.created", "room.started", "participant.joined", "participant.joined", "participant.joined",
		"participant.left removed", "participant.left ended", "participant.left ended", "room.finished ended",
	}
	r.within(t, patience, "the last webhook is there", func() bool { return len(told.about(room)) >= len(want) })
	if got := told.about(room); !slices.Equal(got, want) {
		t.Errorf("the webhooks are %q, want %q", got, want)
	}
}

// An operator's LiveKit may post its webhooks, and nobody else may.
func TestWebhooksOfAnExternalLiveKit(t *testing.T) {
	t.Parallel()
	const key, secret = "operator", "the-secret-of-the-operators-own-livekit"
	external := func(c *config.Serve) { c.MediaURL, c.MediaAPIKey, c.MediaAPISecret = "ws://127.0.0.1:1", key, secret }
	r := startAs(t, server.Options{}, external)
	body := `{"event": "room_started", "room": {"name": "elsewhere"}}`
	post := func(r *running, signature string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(limited(t), http.MethodPost, r.url+"/livekit/webhook", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/webhook+json")
		req.Header.Set("Authorization", signature)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	signature, others := signed(t, key, secret, body), signed(t, key, "another-secret-that-is-long-enough-too", body)
	alone := startAs(t, server.Options{}, func(*config.Serve) {})
	for _, one := range []*running{r, alone} {
		one.issued(secret, signature)
	}
	if got := post(r, signature); got != http.StatusOK {
		t.Errorf("a webhook of the media server is answered with %d", got)
	}
	for name, signature := range map[string]string{"no": "", "another server's": others} {
		if got := post(r, signature); got != http.StatusUnauthorized {
			t.Errorf("a webhook with %s signature is answered with %d", name, got)
		}
	}
	if got := post(alone, signature); got != http.StatusNotFound && got != http.StatusMethodNotAllowed {
		t.Errorf("without an external media server, a webhook is answered with %d", got)
	}
}

// signed is LiveKit's signature of a webhook: a JWT that holds the body's hash.
func signed(t *testing.T, key, secret, body string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(body))
	claims, err := json.Marshal(map[string]any{
		"iss": key, "nbf": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(), "sha256": base64.StdEncoding.EncodeToString(sum[:]),
	})
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// opensNothing checks that a person's token does not open a LiveKit server past the
// gate.
func opensNothing(t *testing.T, address string, token api.RoomToken) {
	t.Helper()
	p, err := mediaclient.Connect(limited(t), mediaclient.Options{URL: address, Token: token.Token, Passphrase: token.E2EEPassphrase})
	if err == nil {
		p.Disconnect()
		t.Error("a token opens the LiveKit server without the gate")
	}
}

// joinStock connects somebody with LiveKit's own Go library until the test ends.
func (r *running) joinStock(t *testing.T, token api.RoomToken) *mediaclient.Stock {
	t.Helper()
	stock, err := mediaclient.ConnectStock(limited(t), mediaclient.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stock.Disconnect)
	return stock
}

// hearEachOther waits until sound has come both ways.
func hearEachOther(t *testing.T, ada *mediaclient.Participant, stock *mediaclient.Stock) {
	t.Helper()
	if err := ada.WaitFrames(limited(t), stock.Identity(), media.Microphone, 20); err != nil {
		t.Errorf("Ada does not hear the stock client: %v", err)
	}
	if err := stock.WaitFrames(limited(t), ada.Identity(), 20); err != nil {
		t.Errorf("the stock client does not hear Ada: %v", err)
	}
}

// out checks that somebody's connection is over.
func out[T any](t *testing.T, who string, gone <-chan T) {
	t.Helper()
	select {
	case <-gone:
	case <-time.After(patience):
		t.Errorf("%s is still connected", who)
	}
}

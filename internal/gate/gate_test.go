package gate_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"

	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/gate"
)

func TestOnlyWhatIsNeededGoesUpstream(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	b.dial(t, "/rtc?access_token=stolen&publish=other&reconnect=1&sid=PA_1&sdk=js&protocol=16", http.Header{
		"Authorization": {"Bearer " + clientToken}, "Cookie": {"session=1"}, "Origin": {"https://elsewhere.example"},
		"X-Forwarded-For": {"198.51.100.1"}, "User-Agent": {"Browser/1" + text(600)},
	})
	r := <-b.asked
	want(t, "path", r.URL.Path, "/rtc")
	want(t, "query", r.URL.RawQuery, "protocol=16&reconnect=1&sdk=js&sid=PA_1")
	want(t, "authorization", r.Header.Get("Authorization"), "Bearer "+upstreamToken)
	want(t, "user agent", r.UserAgent(), "Browser/1"+text(503))
	for _, name := range []string{"Cookie", "Origin", "X-Forwarded-For"} {
		want(t, name, r.Header.Get(name), "")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		text   string
		retry  string
	}{
		"unknown":     {fault.New(fault.Unauthenticated, "x", "Who are you?"), 401, "Who are you?", ""},
		"forbidden":   {fault.New(fault.Forbidden, "room_locked", "The room is locked."), 403, "The room is locked.", ""},
		"conflict":    {fault.Conflicting("x", "Not now."), 403, "Not now.", ""},
		"not found":   {fault.Missing(), 403, fault.Missing().Message, ""},
		"unavailable": {fault.Down("x", "Later.", time.Second, errors.New("secret cause")), 503, "Later.", "1"},
		"too many":    {fault.New(fault.RateLimited, "x", "Slowly."), 429, "Slowly.", ""},
		"accident":    {errors.New("secret accident"), 503, "The service cannot answer right now. Try again in a moment.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, true)
			b.gate.LetThrough = func(context.Context, string, *http.Request) (gate.Decision, error) { return gate.Decision{}, c.err }
			for _, path := range []string{"/rtc/validate", "/rtc/v1/validate"} {
				res, body := b.get(t, path+"?access_token="+clientToken)
				want(t, "status", res.StatusCode, c.status)
				want(t, "text", body, c.text)
				want(t, "content type", res.Header.Get("Content-Type"), "text/plain; charset=utf-8")
				want(t, "readable for", strings.Join(res.Header.Values("Access-Control-Allow-Origin"), "|"), "*")
				want(t, "readable headers", res.Header.Get("Access-Control-Expose-Headers"), "Retry-After")
				want(t, "retry after", res.Header.Get("Retry-After"), c.retry)
			}
			_, res, err := websocket.DefaultDialer.DialContext(t.Context(),
				"ws"+strings.TrimPrefix(b.front.URL, "http")+address, nil)
			if err == nil {
				t.Fatal("connected in spite of a refusal")
			}
			want(t, "status of the upgrade", res.StatusCode, c.status)
			want(t, "requests upstream", len(b.asked), 0)
		})
	}
}

// What the metrics of joins count.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	refusal := fault.New(fault.Forbidden, "room_locked", "The room is locked.")
	for outcome, letThrough := range map[string]func(leave func(), r *http.Request) (gate.Decision, error){
		"entered": nil,
		"refused": func(func(), *http.Request) (gate.Decision, error) { return gate.Decision{}, refusal },
		"failed":  func(func(), *http.Request) (gate.Decision, error) { return gate.Decision{}, errors.New("accident") },
		"left": func(leave func(), r *http.Request) (gate.Decision, error) {
			leave()
			<-r.Context().Done()
			return gate.Decision{}, r.Context().Err()
		},
	} {
		t.Run(outcome, func(t *testing.T) {
			t.Parallel()
			b := setup(t, true)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			decided := make(chan string, 2)
			b.gate.OnDecided = func(_ context.Context, outcome string, _ time.Duration) { decided <- outcome }
			if letThrough != nil {
				b.gate.LetThrough = func(_ context.Context, _ string, r *http.Request) (gate.Decision, error) { return letThrough(leave, r) }
			}
			url := "ws" + strings.TrimPrefix(b.front.URL, "http") + address
			if client, _, err := websocket.DefaultDialer.DialContext(ctx, url, nil); err == nil {
				defer client.Close()
			}
			want(t, "outcome", <-decided, outcome)
		})
	}
}

// A gate that is stopping refuses. That counts as a refusal and not as a failure, about
// which operators would be alarmed.
func TestAStoppingGateRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	decided := make(chan string, 2)
	b.gate.OnDecided = func(_ context.Context, outcome string, _ time.Duration) { decided <- outcome }
	if err := b.gate.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	url := "ws" + strings.TrimPrefix(b.front.URL, "http") + address
	_, res, err := websocket.DefaultDialer.DialContext(t.Context(), url, nil)
	if err == nil {
		t.Fatal("a stopping gate let somebody through")
	}
	want(t, "status", res.StatusCode, http.StatusServiceUnavailable)
	want(t, "outcome", <-decided, "refused")
}

func TestOtherRequestsHaveTheirStatus(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	for path, status := range map[string]int{
		"/rtc":                                         401,
		"/rtc/v1/validate":                             401,
		"/rtc?access_token=" + clientToken:             426,
		"/rtc/v1?access_token=" + clientToken:          426,
		"/rtc/validate?access_token=wrong":             401,
		"/rtc/v1/validate?access_token=" + clientToken: 200,
		"/rtc/":               404,
		"/rtc/v2":             404,
		"/rtc/v1/whip":        404,
		"/rtc/../twirp/thing": 404,
	} {
		res, _ := b.get(t, path)
		want(t, path, res.StatusCode, status)
		want(t, "cors of "+path, strings.Join(res.Header.Values("Access-Control-Allow-Origin"), "|"), "*")
	}
	res, err := http.Post(b.front.URL+"/rtc?access_token="+clientToken, "text/plain", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	want(t, "POST", res.StatusCode, 405)
	want(t, "requests upstream", len(b.asked), 0)
}

// A question at validate changes nothing: nobody is let through, and the media
// server hears nothing of it.
func TestAQuestionAtValidateChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	b.gate.LetThrough = func(context.Context, string, *http.Request) (gate.Decision, error) {
		t.Error("a question at validate let somebody through")
		return gate.Decision{}, errors.New("not now")
	}
	b.gate.Check = func(_ context.Context, token string, _ *http.Request) error {
		want(t, "token", token, clientToken)
		return nil
	}
	res, body := b.get(t, "/rtc/validate?access_token="+clientToken)
	want(t, "status", res.StatusCode, 200)
	want(t, "text", body, "success")
	want(t, "requests upstream", len(b.asked), 0)
}

// Invalid tokens count for their address and never keep out a valid one.
func TestInvalidTokensCountForTheirAddress(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	var refusals atomic.Int32
	b.gate.Refused = func(*http.Request) { refusals.Add(1) }
	b.gate.Wait = func(*http.Request) time.Duration {
		if refusals.Load() < 2 {
			return 0
		}
		return 1500 * time.Millisecond
	}
	ask := b.gate.Check
	b.gate.Check = func(context.Context, string, *http.Request) error {
		return fault.New(fault.Forbidden, "room_locked", "The room is locked.")
	}
	b.get(t, "/rtc/validate?access_token="+clientToken)
	b.get(t, "/rtc?access_token="+clientToken) // no WebSocket: LetThrough is not asked
	want(t, "refusals counted for valid tokens", refusals.Load(), 0)
	for range 2 {
		res, body := b.get(t, "/rtc?access_token=wrong")
		want(t, "status of the refusal", res.StatusCode, 401)
		want(t, "text", body, "This media token is not valid.")
	}
	want(t, "refusals", refusals.Load(), 2)

	for _, path := range []string{"/rtc", "/rtc/v1", "/rtc/validate", "/rtc/v1/validate"} {
		res, body := b.get(t, path+"?access_token=wrong")
		want(t, path, res.StatusCode, 429)
		want(t, "retry after", res.Header.Get("Retry-After"), "2")
		want(t, "text", body, "Too many connections from your address were refused. Try again in 2 seconds.")
	}
	want(t, "refusals in the end", refusals.Load(), 2)
	b.gate.Check = ask
	res, _ := b.get(t, "/rtc/validate?access_token="+clientToken)
	want(t, "a good token", res.StatusCode, 200)
	b.dial(t, address, nil)
}

// An identity that connects too often has to wait, which affects no other, and
// LetThrough is not asked meanwhile.
func TestConnectionsCountForTheirIdentity(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	verify := b.gate.Verify
	b.gate.Verify = func(token string) (string, error) {
		if token == "another" {
			return "guest_b.1", nil
		}
		return verify(token)
	}
	b.gate.Count = func(_ *http.Request, identity string, connects bool) time.Duration {
		if identity == "guest_a.1" && connects {
			return 1500 * time.Millisecond
		}
		return 0
	}
	letThrough := b.gate.LetThrough
	b.gate.Check = func(context.Context, string, *http.Request) error { return nil }
	b.gate.LetThrough = func(ctx context.Context, token string, r *http.Request) (gate.Decision, error) {
		want(t, "let through", token, "another")
		return letThrough(ctx, token, r)
	}
	res, body := b.get(t, "/rtc/v1?access_token="+clientToken)
	want(t, "status", res.StatusCode, 429)
	want(t, "retry after", res.Header.Get("Retry-After"), "2")
	want(t, "text", body, "You connect too often. Try again in 2 seconds.")
	res, _ = b.get(t, "/rtc/v1/validate?access_token="+clientToken)
	want(t, "to ask", res.StatusCode, 200)
	b.dial(t, "/rtc?protocol=17&access_token=another", nil)
}

func TestMediaServerThatRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ upstream, client int }{
		"no room":    {404, 503},
		"wrong keys": {401, 503},
		"bad join":   {400, 400},
		"busy":       {503, 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, true)
			back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "invalid token: "+upstreamToken, c.upstream)
			}))
			t.Cleanup(back.Close)
			b.gate.Upstream = "ws" + strings.TrimPrefix(back.URL, "http")
			_, res, err := websocket.DefaultDialer.DialContext(t.Context(),
				"ws"+strings.TrimPrefix(b.front.URL, "http")+address, nil)
			if err == nil {
				t.Fatal("connected to a media server that refuses")
			}
			want(t, "status of the upgrade", res.StatusCode, c.client)
			body, err := io.ReadAll(res.Body)
			want(t, "leaks", err != nil || strings.Contains(string(body), "token"), false)
			<-b.released
		})
	}
}

func TestAMediaServerThatIsGoneIsAnswered503(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	b.gate.Upstream = "ws://127.0.0.1:1"
	secret := joinRequest(&livekit.JoinRequest{ClientInfo: &livekit.ClientInfo{Protocol: 17, Version: "secret"}})
	_, res, err := websocket.DefaultDialer.DialContext(t.Context(),
		"ws"+strings.TrimPrefix(b.front.URL, "http")+"/rtc/v1?join_request="+secret+"&access_token="+clientToken, nil)
	if err == nil {
		t.Fatal("connected to a media server that is gone")
	}
	want(t, "status", res.StatusCode, 503)
	want(t, "Retry-After", res.Header.Get("Retry-After"), "1")
	body, err := io.ReadAll(res.Body)
	want(t, "text", string(body), "The media server cannot be reached right now. Try again in a moment.")
	want(t, "read", err, nil)
	<-b.released
	want(t, "log holds the query", strings.Contains(b.log.String(), secret[:8]), false)
}

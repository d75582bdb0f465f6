package gate_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/gate"
	"github.com/conclave-rooms/conclave/internal/logtest"
)

const (
	clientToken   = "eyJjbGllbnQ.token.of-the-client"
	upstreamToken = "eyJ1cHN0cmVhbQ.token.of-the-gate"
)

// address is the shortest address with which a client can connect.
const address = "/rtc?protocol=17&access_token=" + clientToken

// bundle is a gate in front of a media server that echoes.
type bundle struct {
	gate     *gate.Gate
	front    *httptest.Server
	log      *logtest.Book
	asked    chan *http.Request   // requests that the media server received
	upstream chan *websocket.Conn // their connections, when the media server does not echo
	released chan struct{}
	goodbyes chan struct{}
	changes  chan int
}

// setup starts both. With echo, the media server sends everything back;
// otherwise the test holds its end.
func setup(t *testing.T, echo bool) *bundle {
	t.Helper()
	b := &bundle{
		log: &logtest.Book{}, asked: make(chan *http.Request, 8), upstream: make(chan *websocket.Conn, 8),
		released: make(chan struct{}, 8), goodbyes: make(chan struct{}, 8), changes: make(chan int, 64),
	}
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.asked <- r
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		if !echo {
			b.upstream <- conn
			return
		}
		defer func() { _ = conn.Close() }()
		for {
			kind, message, err := conn.ReadMessage()
			if err != nil || conn.WriteMessage(kind, message) != nil {
				return
			}
		}
	}))
	t.Cleanup(back.Close)
	b.gate = &gate.Gate{
		Upstream: "ws" + strings.TrimPrefix(back.URL, "http"),
		Logger:   slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		OnChange: func(open int) { b.changes <- open },
		Verify: func(token string) (string, error) {
			if token != clientToken {
				return "", fault.New(fault.Unauthenticated, "token_invalid", "This media token is not valid.")
			}
			return "guest_a.1", nil
		},
		LetThrough: func(context.Context, string, *http.Request) (gate.Decision, error) {
			return gate.Decision{
				Token: upstreamToken, Identity: "guest_a.1", Room: "r",
				Release: func() { b.released <- struct{}{} },
				Goodbye: func() { b.goodbyes <- struct{}{} },
			}, nil
		},
	}
	b.gate.Check = func(ctx context.Context, token string, r *http.Request) error {
		_, err := b.gate.LetThrough(ctx, token, r) // Check decides as LetThrough, which changes nothing in these tests
		return err
	}
	b.front = httptest.NewServer(b.gate)
	t.Cleanup(b.front.Close)
	t.Cleanup(func() {
		if logged := b.log.String(); strings.Contains(logged, clientToken) || strings.Contains(logged, upstreamToken) {
			t.Errorf("a token is in the log:\n%s", logged)
		}
	})
	return b
}

func (b *bundle) dial(t *testing.T, path string, header http.Header) *websocket.Conn {
	t.Helper()
	conn, res, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(b.front.URL, "http")+path, header)
	if err != nil {
		t.Fatalf("connect through the gate: %v (%v)", err, res)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (b *bundle) join(t *testing.T) *websocket.Conn {
	t.Helper()
	conn := b.dial(t, address, nil)
	want(t, "open connections", <-b.changes, 1)
	return conn
}

// get asks over plain HTTP, as the client does at validate.
func (b *bundle) get(t *testing.T, path string) (*http.Response, string) {
	t.Helper()
	res, err := http.Get(b.front.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func wantClose(t *testing.T, conn *websocket.Conn, code int, text string) {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, _, err := conn.ReadMessage()
	var closed *websocket.CloseError
	if !errors.As(err, &closed) {
		t.Fatalf("got %v, want a close frame", err)
	}
	want(t, "close code", closed.Code, code)
	want(t, "close text", closed.Text, text)
}

package gate_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/conclave-rooms/conclave/internal/gate"
)

func TestCloseCodesPass(t *testing.T) {
	t.Parallel()
	for name, pick := range map[string]func(client, upstream *websocket.Conn) (closing, told *websocket.Conn){
		"from the client":       func(c, u *websocket.Conn) (*websocket.Conn, *websocket.Conn) { return c, u },
		"from the media server": func(c, u *websocket.Conn) (*websocket.Conn, *websocket.Conn) { return u, c },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, false)
			closing, told := pick(b.join(t), <-b.upstream)
			word := websocket.FormatCloseMessage(4001, "bye")
			if err := closing.WriteControl(websocket.CloseMessage, word, time.Now().Add(time.Second)); err != nil {
				t.Fatal(err)
			}
			wantClose(t, told, 4001, "bye")
			wantClose(t, closing, 4001, "bye")
			<-b.released
			want(t, "open connections", <-b.changes, 0)
		})
	}
}

func TestABrokenSocketClosesTheOtherSide(t *testing.T) {
	t.Parallel()
	t.Run("client", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.join(t), <-b.upstream
		_ = conn.NetConn().Close()
		wantClose(t, upstream, websocket.CloseInternalServerErr, "connection lost")
		<-b.released
	})
	t.Run("media server", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.join(t), <-b.upstream
		_ = upstream.NetConn().Close()
		wantClose(t, conn, websocket.CloseInternalServerErr, "connection lost")
		<-b.released
	})
}

func TestPingsPass(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.join(t), <-b.upstream
	pong := make(chan string, 1)
	upstream.SetPongHandler(func(data string) error { pong <- data; return nil })
	go func() { _, _, _ = upstream.ReadMessage() }()
	go func() { _, _, _ = conn.ReadMessage() }() // answers pings
	if err := upstream.WriteControl(websocket.PingMessage, []byte("alive?"), time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	want(t, "pong", <-pong, "alive?")
}

func TestDisconnect(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.join(t), <-b.upstream
	want(t, "cut somebody else", b.gate.Disconnect("guest_b.1"), 0)
	want(t, "cut", b.gate.Disconnect("guest_a.1"), 1)
	wantClose(t, conn, websocket.ClosePolicyViolation, "disconnected")
	wantClose(t, upstream, websocket.ClosePolicyViolation, "disconnected")
	<-b.released
	want(t, "open connections", <-b.changes, 0)
	want(t, "cut again", b.gate.Disconnect("guest_a.1"), 0)
}

// A client that only loses its connection tries to come back. So the media
// server's word that it was removed reaches it first, and nothing that it sends
// meanwhile passes.
func TestDisconnectedClientsLearnWhy(t *testing.T) {
	t.Parallel()
	leave := field(8, []byte("removed"))
	t.Run("after the disconnect", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.join(t), <-b.upstream
		want(t, "cut", b.gate.Disconnect("guest_a.1"), 1)
		send(t, conn, field(4, field(1, []byte("late"))))
		update := field(5, []byte("others"))
		send(t, upstream, update)
		want(t, "is the update", bytes.Equal(receive(t, conn), update), true)
		send(t, upstream, leave)
		want(t, "is the leave", bytes.Equal(receive(t, conn), leave), true)
		wantClose(t, conn, websocket.ClosePolicyViolation, "disconnected")
		wantClose(t, upstream, websocket.ClosePolicyViolation, "disconnected")
	})
	t.Run("before the disconnect", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.join(t), <-b.upstream
		send(t, upstream, leave)
		want(t, "is the leave", bytes.Equal(receive(t, conn), leave), true)
		want(t, "cut", b.gate.Disconnect("guest_a.1"), 1)
		wantClose(t, conn, websocket.ClosePolicyViolation, "disconnected")
	})
}

func TestDisconnectWhileArriving(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	letThrough := b.gate.LetThrough
	b.gate.LetThrough = func(ctx context.Context, token string, r *http.Request) (gate.Decision, error) {
		d, err := letThrough(ctx, token, r)
		b.gate.Disconnect(d.Identity) // let through, and not on the list yet
		return d, err
	}
	conn := b.dial(t, address, nil)
	wantClose(t, conn, websocket.ClosePolicyViolation, "disconnected while arriving")
	<-b.released

	b.gate.LetThrough = letThrough // the gate forgets it once the arrival is over
	conn = b.join(t)
	<-b.upstream
	want(t, "cut", b.gate.Disconnect("guest_a.1"), 1)
	wantClose(t, conn, websocket.ClosePolicyViolation, "disconnected")
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	conn, upstream := b.inFirefox(t), <-b.upstream
	done := make(chan error, 1)
	go func() { done <- b.gate.Shutdown(t.Context()) }()
	wantClose(t, conn, websocket.CloseGoingAway, "restarting")
	wantClose(t, upstream, websocket.CloseGoingAway, "restarting")
	if err := <-done; err != nil {
		t.Errorf("shut down: %v", err)
	}
	<-b.released
	want(t, "reports of a goodbye", len(b.goodbyes), 0) // the client answered with the same code as one whose page was closed
	_, res, err := websocket.DefaultDialer.DialContext(t.Context(),
		"ws"+strings.TrimPrefix(b.front.URL, "http")+address, nil)
	if err == nil {
		t.Fatal("connected to a gate that is closed")
	}
	want(t, "status", res.StatusCode, 503)
	if err := b.gate.Shutdown(t.Context()); err != nil {
		t.Errorf("shut down again: %v", err)
	}
}

func TestShutdownIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	b.join(t) // neither side reads, so neither answers the close
	<-b.upstream
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.gate.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want an error of the context", err)
	}
	<-b.released
}

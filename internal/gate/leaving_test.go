package gate_test

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
)

// goodbye is what a client says before it leaves.
func goodbye() []byte {
	return write(&livekit.SignalRequest{Message: &livekit.SignalRequest_Leave{Leave: &livekit.LeaveRequest{
		Reason: livekit.DisconnectReason_CLIENT_INITIATED, Action: livekit.LeaveRequest_DISCONNECT,
	}}})
}

// told is the message with which the media server tells a client to connect again.
func told() []byte {
	return write(&livekit.SignalResponse{Message: &livekit.SignalResponse_Leave{Leave: &livekit.LeaveRequest{
		Reason: livekit.DisconnectReason_SERVER_SHUTDOWN, Action: livekit.LeaveRequest_RECONNECT,
	}}})
}

// leave says goodbye and closes the connection right behind it, as clients do.
func leave(t *testing.T, conn *websocket.Conn) {
	t.Helper()
	send(t, conn, goodbye())
	word := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if err := conn.WriteControl(websocket.CloseMessage, word, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
}

// inFirefox connects as a page in Firefox does.
func (b *bundle) inFirefox(t *testing.T) *websocket.Conn {
	t.Helper()
	agent := "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	conn := b.dial(t, address, http.Header{"User-Agent": {agent}})
	want(t, "open connections", <-b.changes, 1)
	return conn
}

// goAway closes the connection as browsers do when its page goes away.
func goAway(t *testing.T, conn *websocket.Conn) {
	t.Helper()
	word := websocket.FormatCloseMessage(websocket.CloseGoingAway, "")
	if err := conn.WriteControl(websocket.CloseMessage, word, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
}

// The gate reports a goodbye once, before the media server reads it, and not that of
// a client that has to go.
func TestGoodbyesAreReported(t *testing.T) {
	t.Parallel()
	t.Run("a client that leaves", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.join(t), <-b.upstream
		send(t, conn, goodbye())
		leave(t, conn)
		receive(t, upstream)
		want(t, "reports when the media server reads the goodbye", len(b.goodbyes), 1)
		<-b.goodbyes
		_ = upstream.Close()
		<-b.released
		want(t, "further reports", len(b.goodbyes), 0)
	})
	t.Run("a page in Firefox that was left", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.inFirefox(t), <-b.upstream
		goAway(t, conn)
		if said := receive(t, upstream); !bytes.Equal(said, goodbye()) {
			t.Errorf("the media server reads %x; want a goodbye", said)
		}
		want(t, "reports when the media server reads the goodbye", len(b.goodbyes), 1)
		_ = upstream.Close()
		<-b.released
	})
	t.Run("another client that a proxy ends with the same code", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.join(t), <-b.upstream
		goAway(t, conn)
		wantClose(t, upstream, websocket.CloseGoingAway, "")
		<-b.released
		want(t, "reports", len(b.goodbyes), 0)
	})
	t.Run("a client that leaves, and whose page is closed then", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.inFirefox(t), <-b.upstream
		send(t, conn, goodbye())
		goAway(t, conn)
		receive(t, upstream)
		wantClose(t, upstream, websocket.CloseGoingAway, "")
		<-b.released
		want(t, "reports", len(b.goodbyes), 1)
	})
	t.Run("a client that closes the connection", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		_ = b.join(t).Close()
		<-b.released
		want(t, "reports", len(b.goodbyes), 0)
	})
	t.Run("a client that the media server told to reconnect", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.join(t), <-b.upstream
		send(t, upstream, told())
		receive(t, conn)
		leave(t, conn)
		receive(t, upstream)
		_ = upstream.Close()
		<-b.released
		want(t, "reports", len(b.goodbyes), 0)
	})
	t.Run("a client that the media server told to reconnect, and whose page was closed", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.inFirefox(t), <-b.upstream
		send(t, upstream, told())
		receive(t, conn)
		goAway(t, conn)
		wantClose(t, upstream, websocket.CloseGoingAway, "")
		<-b.released
		want(t, "reports", len(b.goodbyes), 0)
	})
	t.Run("a client that lost the media server", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.join(t), <-b.upstream
		conn.SetCloseHandler(func(int, string) error { return nil }) // it speaks before it answers
		_ = upstream.Close()
		if _, _, err := conn.ReadMessage(); err == nil {
			t.Error("the connection goes on")
		}
		leave(t, conn)
		<-b.released
		want(t, "reports", len(b.goodbyes), 0)
	})
	t.Run("a client of a media server that goes away", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.inFirefox(t), <-b.upstream
		goAway(t, upstream)
		wantClose(t, conn, websocket.CloseGoingAway, "") // and answers with the same code
		<-b.released
		want(t, "reports", len(b.goodbyes), 0)
	})
	t.Run("a client that has to go", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn := b.join(t)
		b.gate.Disconnect("guest_a.1")
		leave(t, conn)
		<-b.released
		want(t, "reports", len(b.goodbyes), 0)
	})
}

// The media server reads a goodbye before it learns that the client has gone.
func TestAGoodbyeIsNotOvertaken(t *testing.T) {
	t.Parallel()
	t.Run("the media server ends the connection", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.join(t), <-b.upstream
		leave(t, conn)
		receive(t, upstream)
		_ = upstream.Close()
		<-b.released
		want(t, "open connections", <-b.changes, 0)
	})
	t.Run("the media server does not", func(t *testing.T) {
		t.Parallel()
		b := setup(t, false)
		conn, upstream := b.join(t), <-b.upstream
		began := time.Now()
		leave(t, conn)
		receive(t, upstream)
		// A message to a client that has gone does not end the relay.
		for range 3 {
			send(t, upstream, field(5, []byte("others")))
		}
		wantClose(t, upstream, websocket.CloseNormalClosure, "")
		if took := time.Since(began); took < time.Second {
			t.Errorf("the media server had %v to end the connection; want a second", took)
		}
		<-b.released
	})
}

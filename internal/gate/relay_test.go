package gate

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// tornConn is a connection whose other side may have closed it: then nothing can be
// written, and what the other side sent before can still be read.
type tornConn struct {
	net.Conn

	torn  atomic.Bool
	tried chan struct{} // a write that failed
}

func (c *tornConn) Write(b []byte) (int, error) {
	if !c.torn.Load() {
		return c.Conn.Write(b)
	}
	select {
	case c.tried <- struct{}{}:
	default:
	}
	return 0, errors.New("broken pipe")
}

// dialTorn makes a WebSocket connection. The test can break the
// side that dials.
func dialTorn(t *testing.T) (near, far *websocket.Conn, torn *tornConn) {
	t.Helper()
	accepted := make(chan *websocket.Conn, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
		}
		accepted <- conn
	}))
	t.Cleanup(server.Close)
	dialer := websocket.Dialer{NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		torn = &tornConn{Conn: conn, tried: make(chan struct{}, 1)}
		return torn, err
	}}
	near, res, err := dialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	far = <-accepted
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return near, far, torn
}

// The media server closes its side as soon as it has told a client to leave. A request
// that the client sends at that moment cannot be passed on any more; the client must
// still learn why its connection ends, or it would try to come back.
func TestAClientLearnsWhyItHasToLeaveWhenItsRequestFails(t *testing.T) {
	t.Parallel()
	removed := encode(&livekit.SignalResponse{Message: &livekit.SignalResponse_Leave{Leave: &livekit.LeaveRequest{
		Reason: livekit.DisconnectReason_PARTICIPANT_REMOVED, Action: livekit.LeaveRequest_DISCONNECT,
	}}})
	request := encode(&livekit.SignalRequest{Message: &livekit.SignalRequest_PingReq{PingReq: &livekit.Ping{Timestamp: 1}}})
	for name, lastWord := range map[string][]byte{"the media server says why": removed, "it says nothing": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, person, _ := dialTorn(t)
			upstream, server, torn := dialTorn(t)
			l := &relay{gate: &Gate{Logger: slog.New(slog.DiscardHandler)}, client: client, upstream: upstream}
			ended := make(chan struct{})
			go func() { defer close(ended); l.run() }()

			torn.torn.Store(true)
			if err := person.WriteMessage(websocket.BinaryMessage, request); err != nil {
				t.Fatal(err)
			}
			<-torn.tried
			if lastWord != nil {
				if err := server.WriteMessage(websocket.BinaryMessage, lastWord); err != nil {
					t.Fatal(err)
				}
				_, heard, err := person.ReadMessage()
				if err != nil {
					t.Fatalf("the person's connection ends without a word: %v", err)
				}
				var said livekit.SignalResponse
				if err := proto.Unmarshal(heard, &said); err != nil || said.GetLeave().GetReason() != livekit.DisconnectReason_PARTICIPANT_REMOVED {
					t.Errorf("the person hears %v (%v)", &said, err)
				}
			}
			if _, _, err := person.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseInternalServerErr) {
				t.Errorf("the person's connection ends with %v", err)
			}
			<-ended
		})
	}
}

// A message of the media server to a client that said goodbye and has gone does not
// turn its leaving into an accident.
func TestAMessageToAClientThatLeftIsNoAccident(t *testing.T) {
	t.Parallel()
	client, person, torn := dialTorn(t)
	upstream, server, _ := dialTorn(t)
	l := &relay{gate: &Gate{Logger: slog.New(slog.DiscardHandler)}, client: client, upstream: upstream}
	ended := make(chan struct{})
	go func() { defer close(ended); l.run() }()

	goodbye := encode(&livekit.SignalRequest{Message: &livekit.SignalRequest_Leave{Leave: &livekit.LeaveRequest{}}})
	if err := person.WriteMessage(websocket.BinaryMessage, goodbye); err != nil {
		t.Fatal(err)
	}
	if _, _, err := server.ReadMessage(); err != nil {
		t.Fatal(err)
	}
	torn.torn.Store(true)
	news := encode(&livekit.SignalResponse{Message: &livekit.SignalResponse_PongResp{PongResp: &livekit.Pong{}}})
	if err := server.WriteMessage(websocket.BinaryMessage, news); err != nil {
		t.Fatal(err)
	}
	<-torn.tried
	if _, _, err := server.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("the media server learns %v", err)
	}
	<-ended
}

package mediaclient

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// protocol is the version of LiveKit's signalling that is used here: the first
// one in which the media server says that it refuses something.
const protocol = "15"

// signal is the signalling connection. LiveKit's Go SDK is not used because it
// only offers UDP, and announces pictures in a way that causes a data race in
// the media server, which the race detector would report.
type signal struct {
	address string
	dialer  *websocket.Dialer
	alter   func(*livekit.SignalRequest)  // called with every request before it is sent; may be nil
	mishear func(*livekit.SignalResponse) // called with every response before it is handled; may be nil
	join    *livekit.JoinRequest          // nil: its parts stand in the address
	mu      sync.Mutex                    // one writer at a time; guards the fields below
	token   string                        // the newest one from the media server
	socket  *websocket.Conn
}

// dial connects or, with a session id, resumes a lost connection.
func (s *signal) dial(ctx context.Context, session string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, query := "/rtc", url.Values{"protocol": {protocol}, "auto_subscribe": {"1"}, "sdk": {"go"}}
	if session != "" {
		query.Set("reconnect", "1")
		query.Set("sid", session)
	}
	if s.join != nil {
		wrapped, err := wrap(s.join)
		if err != nil {
			return err
		}
		path, query = "/rtc/v1", url.Values{"join_request": {wrapped}}
	}
	header := http.Header{"Authorization": {"Bearer " + s.token}}
	socket, res, err := s.dialer.DialContext(ctx, s.address+path+"?"+query.Encode(), header)
	if err != nil {
		return refusal(res, err)
	}
	s.socket = socket
	return nil
}

// wrap encodes a request to join for the address.
func wrap(join *livekit.JoinRequest) (string, error) {
	message, err := proto.Marshal(join)
	if err != nil {
		return "", fmt.Errorf("write request to join: %w", err)
	}
	if message, err = proto.Marshal(&livekit.WrappedJoinRequest{JoinRequest: message}); err != nil {
		return "", fmt.Errorf("write request to join: %w", err)
	}
	return base64.URLEncoding.EncodeToString(message), nil
}

// errRefused marks a refusal that another attempt would not change.
var errRefused = errors.New("refused")

// refusal makes an error of a failed upgrade: the sentence in the answer.
func refusal(res *http.Response, err error) error {
	if res == nil {
		return fmt.Errorf("connect: %w", err)
	}
	sentence := make([]byte, 1024)
	n, _ := res.Body.Read(sentence)
	_ = res.Body.Close()
	err = fmt.Errorf("connect: %s: %s", res.Status, sentence[:n])
	if res.StatusCode >= 400 && res.StatusCode < 500 {
		err = errors.Join(errRefused, err)
	}
	return err
}

func (s *signal) send(request *livekit.SignalRequest) error {
	if s.alter != nil {
		s.alter(request)
	}
	message, err := proto.Marshal(request)
	if err != nil {
		return fmt.Errorf("write signal: %w", err)
	}
	return s.write(message)
}

// sendingTime is how long a message may wait for a network that takes nothing.
const sendingTime = 10 * time.Second

// errUnsent marks a message that the connection did not take.
var errUnsent = errors.New("send signal")

func (s *signal) write(message []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.socket.SetWriteDeadline(time.Now().Add(sendingTime)); err != nil {
		return fmt.Errorf("%w: %w", errUnsent, err)
	}
	if err := s.socket.WriteMessage(websocket.BinaryMessage, message); err != nil {
		return fmt.Errorf("%w: %w", errUnsent, err)
	}
	return nil
}

// receive reads one message; only one goroutine calls it.
func (s *signal) receive() (*livekit.SignalResponse, error) {
	s.mu.Lock()
	socket := s.socket
	s.mu.Unlock()
	_, message, err := socket.ReadMessage()
	if err != nil {
		return nil, fmt.Errorf("receive signal: %w", err)
	}
	response := &livekit.SignalResponse{}
	if err := proto.Unmarshal(message, response); err != nil {
		return nil, fmt.Errorf("read signal: %w", err)
	}
	if s.mishear != nil {
		s.mishear(response)
	}
	return response, nil
}

func (s *signal) setToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

// close closes the socket properly and waits until the close is sent.
func (s *signal) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.socket != nil {
		word := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
		_ = s.socket.WriteControl(websocket.CloseMessage, word, time.Now().Add(time.Second))
		_ = s.socket.Close()
	}
}

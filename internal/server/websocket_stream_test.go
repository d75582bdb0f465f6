package server

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/net/http2"
)

// http2Client is a client that has one connection to a server.
type http2Client struct {
	*http.Client
	url    string
	dialed atomic.Int32
}

func newHTTP2Client(t *testing.T, address string, secure *tls.Config) *http2Client {
	t.Helper()
	c := &http2Client{url: "https://" + address}
	dialer := &tls.Dialer{Config: secure}
	transport := &http2.Transport{DialTLSContext: func(ctx context.Context, network, address string, _ *tls.Config) (net.Conn, error) {
		c.dialed.Add(1)
		return dialer.DialContext(ctx, network, address)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	c.Client = &http.Client{Transport: transport}
	return c
}

// webSocket is the client's end of a WebSocket over HTTP/2.
type webSocket struct {
	t        *testing.T
	response *http.Response
	send     *io.PipeWriter
}

// connect sends an extended CONNECT request.
func (c *http2Client) connect(t *testing.T, path, protocol string) *webSocket {
	t.Helper()
	body, send := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodConnect, c.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(":protocol", protocol)
	req.Header.Set("Sec-Websocket-Version", "13")
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	s := &webSocket{t: t, response: res, send: send}
	t.Cleanup(s.leave)
	return s
}

// leave resets the stream.
func (s *webSocket) leave() { _ = s.response.Body.Close() }

// write sends a short text (RFC 6455, section 5.2), masked with zeros.
func (s *webSocket) write(text string) {
	s.t.Helper()
	frame := append([]byte{0x81, 0x80 | byte(len(text)), 0, 0, 0, 0}, text...)
	if _, err := s.send.Write(frame); err != nil {
		s.t.Fatal(err)
	}
}

// read returns the next short message.
func (s *webSocket) read() (string, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(s.response.Body, head); err != nil {
		return "", err
	}
	text := make([]byte, head[1])
	_, err := io.ReadFull(s.response.Body, text)
	return string(text), err
}

// serveSockets serves a WebSocket at /rtc, and a sentence elsewhere.
func serveSockets(t *testing.T, patience time.Duration, socket func(*websocket.Conn)) *http2Client {
	t.Helper()
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /rtc", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Origin") // of refusals only
		if r.Method != http.MethodGet || r.ContentLength != 0 || r.Header.Get(":protocol") != "" {
			t.Errorf("the handler gets %s with %d bytes, and the headers %v", r.Method, r.ContentLength, r.Header)
		}
		if r.URL.RawQuery == "refuse" {
			http.Error(w, "You may not enter.", http.StatusForbidden)
			return
		}
		c, err := upgrader.Upgrade(w, r, http.Header{"Request-Id": {"req_1"}})
		if err != nil {
			t.Error(err)
			return
		}
		socket(c)
	})
	mux.HandleFunc("GET /rtc/v1", func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = c.Close() // without an answer
	})
	mux.HandleFunc("PUT /unread", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	address, secure := serveSecurely(t, mux, patience)
	return newHTTP2Client(t, address, secure)
}

// echo answers each message with the same.
func echo(c *websocket.Conn) {
	for {
		kind, text, err := c.ReadMessage()
		if err != nil || c.WriteMessage(kind, text) != nil {
			return
		}
	}
}

// A browser opens a WebSocket on the connection that it has.
func TestAWebSocketSharesAConnection(t *testing.T) {
	t.Parallel()
	client := serveSockets(t, patience, echo)
	s := client.connect(t, "/rtc", "websocket")
	if s.response.StatusCode != http.StatusOK {
		t.Fatalf("status %s", s.response.Status)
	}
	s.response.Header.Del("Date")
	if got := s.response.Header; len(got) != 1 || got.Get("Request-Id") != "req_1" {
		t.Errorf("the headers are %v, want Request-Id only", got)
	}
	for _, text := range []string{"one", "", "three"} {
		s.write(text)
		if answer, err := s.read(); err != nil || answer != text {
			t.Errorf("the answer is %q, %v, want %q", answer, err, text)
		}
		res, err := client.Get(client.url + "/hello")
		if err != nil {
			t.Fatal(err)
		}
		if said, err := io.ReadAll(res.Body); err != nil || string(said) != "hello" {
			t.Errorf("beside the WebSocket: %q, %v", said, err)
		}
		_ = res.Body.Close()
	}
	_ = s.send.Close()
	if _, err := s.read(); !errors.Is(err, io.EOF) {
		t.Errorf("after the end: %v, want io.EOF", err)
	}
	if n := client.dialed.Load(); n != 1 {
		t.Errorf("there were %d connections, want 1", n)
	}
}

func TestARefusedWebSocketOverHTTP2(t *testing.T) {
	t.Parallel()
	client := serveSockets(t, patience, echo)
	for _, test := range []struct {
		path, protocol, text string
		status               int
	}{
		{"/rtc?refuse", "websocket", "You may not enter.\n", http.StatusForbidden},
		{"/hello", "websocket", "", http.StatusNotFound}, // the handler would answer with success
		{"/rtc", "connect-udp", "", http.StatusNotImplemented},
		{"/rtc/v1", "websocket", "", http.StatusBadGateway},
	} {
		s := client.connect(t, test.path, test.protocol)
		text, err := io.ReadAll(s.response.Body)
		if err != nil || s.response.StatusCode != test.status || string(text) != test.text {
			t.Errorf("%s of %s: %s %q, %v", test.protocol, test.path, s.response.Status, text, err)
		}
	}
}

// Reads and writes that wait end when the service closes a WebSocket, when its time is
// over, and when the browser has gone.
func TestNothingWaitsForAWebSocketThatIsOver(t *testing.T) {
	t.Parallel()
	big := make([]byte, 8<<20) // more than a client takes unread
	for name, test := range map[string]struct {
		patience time.Duration
		use      func(*websocket.Conn) error
		leaves   bool
	}{
		"a read, and the browser leaves": {long, func(c *websocket.Conn) error { _, _, err := c.ReadMessage(); return err }, true},
		"a read, and its time is over": {long, func(c *websocket.Conn) error {
			_ = c.SetReadDeadline(time.Now().Add(short))
			_, _, err := c.ReadMessage()
			return err
		}, false},
		"a read, and the service closes": {long, func(c *websocket.Conn) error {
			time.AfterFunc(short, func() { _ = c.Close() })
			_, _, err := c.ReadMessage()
			return err
		}, false},
		"a write, and the browser leaves": {long, func(c *websocket.Conn) error { return c.WriteMessage(websocket.BinaryMessage, big) }, true},
		"a write, and its time is over": {long, func(c *websocket.Conn) error {
			_ = c.SetWriteDeadline(time.Now().Add(short))
			return c.WriteMessage(websocket.BinaryMessage, big)
		}, false},
		"a write, and patience is over": {short, func(c *websocket.Conn) error { return c.WriteMessage(websocket.BinaryMessage, big) }, false},
		"a write, and the service closes": {long, func(c *websocket.Conn) error {
			time.AfterFunc(short, func() { _ = c.Close() })
			return c.WriteMessage(websocket.BinaryMessage, big)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, ended := make(chan struct{}), make(chan error, 1)
			client := serveSockets(t, test.patience, func(c *websocket.Conn) {
				close(begun)
				ended <- test.use(c)
			})
			s := client.connect(t, "/rtc", "websocket")
			<-begun // the answer arrives before the handler has the connection
			if test.leaves {
				s.leave()
			}
			select {
			case err := <-ended:
				if err == nil {
					t.Error("the write did not fail")
				}
			case <-time.After(10 * time.Second):
				t.Error("the handler still waits")
			}
		})
	}
}

// When the gate acts late, such as when it closes a WebSocket after a moment for
// the last message, it finds only that the stream is gone.
func TestAWebSocketIsUsedAfterItsHandlerReturned(t *testing.T) {
	t.Parallel()
	sockets := make(chan *websocket.Conn, 1)
	client := serveSockets(t, patience, func(c *websocket.Conn) { sockets <- c })
	s := client.connect(t, "/rtc", "websocket")
	if _, err := io.ReadAll(s.response.Body); err != nil {
		t.Fatal(err)
	}
	c := <-sockets
	if err := c.SetReadDeadline(time.Now()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a late deadline: %v", err)
	}
	if err := c.WriteMessage(websocket.TextMessage, []byte("late")); err == nil {
		t.Error("a late message was sent")
	}
	if _, _, err := c.ReadMessage(); err == nil {
		t.Error("a late message was received")
	}
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// A handler may return while another goroutine still writes.
func TestAWebSocketIsWrittenToWhileItsHandlerReturns(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	client := serveSockets(t, patience, func(c *websocket.Conn) {
		begun := make(chan struct{})
		go func() {
			var err error
			for i := 0; err == nil; i++ {
				if i == 1 {
					close(begun)
				}
				err = c.WriteMessage(websocket.TextMessage, []byte("hello"))
			}
			ended <- err
		}()
		<-begun
	})
	s := client.connect(t, "/rtc", "websocket")
	_, _ = io.Copy(io.Discard, s.response.Body)
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the handler still writes")
	}
}

// Uploads that a handler does not read leave room for what comes in on a WebSocket.
func TestAWebSocketIsHeardBesideUploadsThatNobodyReads(t *testing.T) {
	t.Parallel()
	const uploads = 4
	client := serveSockets(t, patience, echo)
	for range uploads {
		body, send := io.Pipe()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, client.url+"/unread", body)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if res, err := client.Do(req); err == nil {
				_ = res.Body.Close()
			}
		}()
		// It fills the window of its stream, and waits with the rest.
		written := make(chan struct{})
		go func() {
			for range 512 << 10 / 1024 {
				_, _ = send.Write(make([]byte, 1024))
			}
			close(written)
			_, _ = send.Write(make([]byte, 1<<20))
		}()
		t.Cleanup(func() { _ = send.Close(); _ = body.Close() })
		select {
		case <-written:
		case <-time.After(10 * time.Second):
			t.Fatal("the connection takes no more")
		}
	}
	s := client.connect(t, "/rtc", "websocket")
	s.write("hello")
	if answer, err := s.read(); err != nil || answer != "hello" {
		t.Errorf("the answer is %q, %v", answer, err)
	}
}

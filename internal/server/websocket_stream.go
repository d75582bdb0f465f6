package server

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	_ "github.com/conclave-rooms/conclave/internal/server/extendedconnect" // net/http takes them
)

// webSocketStreams shows handlers a WebSocket over HTTP/2 (RFC 8441) as one over
// HTTP/1.1, so that they know one form only. Such a WebSocket is a stream of a
// connection that the browser has already, which saves it two round trips to the service.
//
// Only addresses for which isSocket is true take them: any other handler might answer
// with success, which over HTTP/2 means that the WebSocket is open.
func webSocketStreams(h http.Handler, isSocket func(path string) bool, patience time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Refusals have no body, which a client could leave unread.
		protocol := r.Header.Get(":protocol")
		switch {
		case r.Method != http.MethodConnect || protocol == "":
			h.ServeHTTP(w, r)
		case protocol != "websocket":
			w.WriteHeader(http.StatusNotImplemented) // RFC 9220, section 3
		case !isSocket(r.URL.Path):
			w.WriteHeader(http.StatusNotFound)
		default:
			s := &socketStream{stream: http.NewResponseController(w), writer: w, body: r.Body, patience: patience, remote: r.RemoteAddr}
			defer s.finish()
			h.ServeHTTP(&streamUpgrade{ResponseWriter: w, socket: s}, upgradeOf(r))
		}
	})
}

// upgradeOf makes the request that a browser sends over HTTP/1.1.
func upgradeOf(r *http.Request) *http.Request {
	key := make([]byte, 16) // of no meaning here, and no secret (RFC 6455, section 1.3)
	_, _ = rand.Read(key)   // never fails
	upgrade := r.Clone(r.Context())
	upgrade.Method, upgrade.Body, upgrade.ContentLength = http.MethodGet, http.NoBody, 0
	delete(upgrade.Header, ":protocol")
	upgrade.Header.Set("Connection", "Upgrade")
	upgrade.Header.Set("Upgrade", "websocket")
	upgrade.Header.Set("Sec-Websocket-Key", base64.StdEncoding.EncodeToString(key))
	return upgrade
}

// streamUpgrade is the ResponseWriter of such a request. A handler that refuses uses it
// as any other, and one that accepts takes the stream as a connection.
type streamUpgrade struct {
	http.ResponseWriter

	socket *socketStream
}

// Unwrap lets http.ResponseController do everything but Hijack.
func (u *streamUpgrade) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// Hijack returns the stream. What is written to it first is the answer to the upgrade.
// The stream ends when the handler returns.
func (u *streamUpgrade) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	u.socket.taken = true
	return u.socket, bufio.NewReadWriter(bufio.NewReader(u.socket), bufio.NewWriter(u.socket)), nil
}

// socketStream is a stream of HTTP/2 as a net.Conn. All its methods may be called after
// the handler has returned, when the stream itself must not be used any more.
type socketStream struct {
	stream   *http.ResponseController
	body     io.ReadCloser
	patience time.Duration // as for every other write (patience.go)
	remote   string
	taken    bool // by the handler; only its goroutine uses it

	writing sync.Mutex // held for a write
	writer  http.ResponseWriter
	begun   bool // the answer to the upgrade was sent

	mu       sync.Mutex // held for what takes no time
	over     bool       // closed, or the handler returned
	deadline time.Time  // for writes; zero: only patience
}

func (s *socketStream) Read(b []byte) (int, error) { return s.body.Read(b) } //nolint:wrapcheck // a stream's own error

// Write sends bytes at once. The first write is the head of an answer of HTTP/1.1.
func (s *socketStream) Write(b []byte) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.begin(); err != nil {
		return 0, err
	}
	defer s.end()
	if !s.begun {
		return s.answer(b)
	}
	n, err := s.writer.Write(b)
	if err == nil {
		err = s.stream.Flush()
	}
	return n, err //nolint:wrapcheck // a stream's own error
}

// answer sends the answer to the upgrade in the words of HTTP/2.
func (s *socketStream) answer(b []byte) (int, error) {
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(b)), nil)
	if err != nil {
		return 0, fmt.Errorf("answer an upgrade: %w", err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusSwitchingProtocols {
		return 0, fmt.Errorf("answer an upgrade: status %s", res.Status)
	}
	for _, name := range []string{"Connection", "Upgrade", "Sec-Websocket-Accept"} { // RFC 8441, section 5
		res.Header.Del(name)
	}
	clear(s.writer.Header()) // as over HTTP/1.1, where handlers pass all headers to the upgrade
	maps.Copy(s.writer.Header(), res.Header)
	s.begun = true
	s.writer.WriteHeader(http.StatusOK)
	return len(b), s.stream.Flush() //nolint:wrapcheck // a stream's own error
}

// begin gives a write its deadline, and end takes it back: a stream is reset when its
// deadline passes, also if nothing is being written to it.
func (s *socketStream) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return net.ErrClosed
	}
	now := time.Now() //nolint:forbidigo // deadlines of sockets follow the real clock
	until := now.Add(s.patience)
	if !s.deadline.IsZero() && s.deadline.Before(until) {
		until = s.deadline
	}
	if !until.After(now) {
		return os.ErrDeadlineExceeded
	}
	return s.stream.SetWriteDeadline(until) //nolint:wrapcheck // a stream's own error
}

func (s *socketStream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		_ = s.stream.SetWriteDeadline(time.Time{})
	}
}

// Close ends reads and writes, also those that wait.
func (s *socketStream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil
	}
	s.over = true
	if !s.writing.TryLock() {
		_ = s.stream.SetWriteDeadline(time.Unix(1, 0)) // resets the stream, and so ends the write
	} else {
		s.writing.Unlock()
	}
	return s.body.Close() //nolint:wrapcheck // a stream's own error
}

// finish is called when the handler returns, and returns when nothing uses the stream.
func (s *socketStream) finish() {
	_ = s.Close()
	s.writing.Lock() // waits for a write that Close has ended
	defer s.writing.Unlock()
	if s.taken && !s.begun {
		s.writer.WriteHeader(http.StatusBadGateway) // without a status, net/http would say success
	}
}

// SetDeadline sets both deadlines.
func (s *socketStream) SetDeadline(t time.Time) error {
	if err := s.SetReadDeadline(t); err != nil {
		return err
	}
	return s.SetWriteDeadline(t)
}

// SetReadDeadline sets the time at which reads fail, for good.
func (s *socketStream) SetReadDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return net.ErrClosed
	}
	return s.stream.SetReadDeadline(t) //nolint:wrapcheck // a stream's own error
}

// SetWriteDeadline sets the time at which later writes fail.
func (s *socketStream) SetWriteDeadline(t time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = t
	return nil
}

// LocalAddr is not known to a stream.
func (s *socketStream) LocalAddr() net.Addr { return streamAddr("") }

// RemoteAddr is the address of the browser.
func (s *socketStream) RemoteAddr() net.Addr { return streamAddr(s.remote) }

type streamAddr string

func (streamAddr) Network() string  { return "tcp" }
func (a streamAddr) String() string { return string(a) }

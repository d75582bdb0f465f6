package server

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
)

// short is a patience that a test can wait for, long is one that it cannot.
const (
	short = 50 * time.Millisecond
	long  = time.Hour
)

func listening(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// When a client requests a stream, or any long answer, and reads none of it,
// the handler ends.
func TestClientsThatStopReadingAreGivenUp(t *testing.T) {
	t.Parallel()
	l := listening(t)
	ended := make(chan error, 1)
	endless := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		event := "data: " + strings.Repeat("x", 100<<10) + "\n\n"
		for {
			if _, err := io.WriteString(w, event); err != nil {
				<-r.Context().Done() // a stream that waits for news ends as well
				ended <- err
				return
			}
		}
	})
	web := &http.Server{Handler: endless, ReadHeaderTimeout: long}
	go func() { _ = web.Serve(patient{Listener: l, patience: short}) }()
	t.Cleanup(func() { _ = web.Close() })
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	if _, err := io.WriteString(client, "GET /meet/v1/events HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the handler ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the handler still writes to somebody who reads nothing")
	}
}

// A client that reads slowly gets everything: each piece has its own deadline,
// and the answer as a whole has none.
func TestSlowClientsGetEverything(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe() // net.Pipe has no buffers: a write ends when it was read
	c := &patientConn{Conn: ours, patience: 5 * time.Second}
	got := make(chan string, 1)
	go func() {
		all, _ := io.ReadAll(theirs)
		got <- string(all)
	}()
	text := strings.Repeat("0123456789abcdef", 3*pieceSize/16) + "end"
	n, err := c.Write([]byte(text))
	_ = c.Close()
	if err != nil || n != len(text) || <-got != text {
		t.Errorf("%d of %d bytes arrived (%v)", n, len(text), err)
	}
	if n, err := (&patientConn{Conn: ours, patience: long}).Write(nil); n != 0 || err == nil {
		t.Errorf("a write to a closed connection: %d %v", n, err)
	}
}

// A handler's own deadline applies if it is earlier.
func TestTheEarlierDeadlineHolds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		patience time.Duration
		set      func(c net.Conn) error
	}{
		"of the connection": {short, func(c net.Conn) error { return c.SetWriteDeadline(time.Now().Add(long)) }},
		"of the handler":    {long, func(c net.Conn) error { return c.SetWriteDeadline(time.Now().Add(short)) }},
		"for both ways":     {long, func(c net.Conn) error { return c.SetDeadline(time.Now().Add(short)) }},
		"taken back": {short, func(c net.Conn) error {
			return errors.Join(c.SetWriteDeadline(time.Now().Add(-long)), c.SetWriteDeadline(time.Time{}))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := net.Pipe()
			defer func() { _ = theirs.Close() }()
			c := &patientConn{Conn: ours, patience: test.patience}
			if err := test.set(c); err != nil {
				t.Fatal(err)
			}
			if n, err := c.Write([]byte("x")); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%d bytes were written (%v)", n, err)
			}
		})
	}
}

// All connections of the service are of this kind.
func TestAllConnectionsHaveWriteDeadlines(t *testing.T) {
	t.Parallel()
	s := &Server{listener: listening(t), log: slog.New(slog.DiscardHandler), config: config.Serve{MetricsListen: "127.0.0.1:0"}}
	l, err := s.listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := l.(patient); !ok || p.patience != patience {
		t.Errorf("the server listens with %#v", l)
	}
	m, err := s.listenMetrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Close() }()
	if p, ok := m.(patient); !ok || p.patience != patience {
		t.Errorf("metrics are listened for with %#v", m)
	}
}

// Beside the service's listener, too, a client that announces a body and sends none of
// it gets its answer or loses its connection: net/http waits for the body.
func TestBodiesThatDoNotArriveBesideAreGivenUp(t *testing.T) {
	t.Parallel()
	s := &Server{log: slog.New(slog.DiscardHandler), config: config.Serve{Data: config.Data{PublicURL: "https://meet.example.com"}}}
	if got := s.besideServer(s.plainHandler(), beside).ReadTimeout; got != beside {
		t.Errorf("a request may take %s to arrive, want %s", got, beside)
	}
	web, l := s.besideServer(s.plainHandler(), short), listening(t)
	go func() { _ = web.Serve(l) }()
	t.Cleanup(func() { _ = web.Close() })
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	if err := client.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(client, "POST / HTTP/1.1\r\nHost: meet.example.com\r\nContent-Length: 10\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(client); err != nil {
		t.Errorf("the connection is still open: %v", err)
	}
}

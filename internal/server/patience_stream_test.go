package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/media/turn"
)

// serveSecurely serves a handler as the service does with TLS and TURN.
func serveSecurely(t *testing.T, h http.Handler, patience time.Duration) (address string, secure *tls.Config) {
	t.Helper()
	f := newCertificateFiles(t)
	f.now = time.Now()
	cert, key := f.renew(t, 1)
	f.write(t, f.certFile, cert)
	f.write(t, f.keyFile, key)
	s := &Server{log: slog.New(slog.DiscardHandler), config: config.Serve{TLSCert: f.certFile, TLSKey: f.keyFile}, listener: listening(t)}
	l, err := s.listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	web, relays := turn.Split(l)
	t.Cleanup(func() { _ = relays.Close() })
	server := s.httpServer(h, patience)
	go func() { _ = server.Serve(web) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String(), &tls.Config{
		InsecureSkipVerify: true, // the certificate has no name
		NextProtos:         []string{"h2", "http/1.1"},
	}
}

// A browser keeps any number of event streams on one connection of HTTP/2. A client
// that speaks HTTP/1.1 only opens WebSockets on connections of their own.
func TestManyStreamsShareAConnection(t *testing.T) {
	t.Parallel()
	const streams = 20 // a browser has at most six connections of HTTP/1.1 with one server
	var open sync.WaitGroup
	open.Add(streams)
	mux := http.NewServeMux()
	mux.HandleFunc("/events", func(w http.ResponseWriter, _ *http.Request) {
		open.Done()
		open.Wait() // for all the others
		_, _ = io.WriteString(w, "data: all are open\n\n")
		_ = http.NewResponseController(w).Flush()
	})
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	mux.HandleFunc("/rtc", func(w http.ResponseWriter, r *http.Request) {
		c, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		_ = c.WriteMessage(websocket.TextMessage, []byte("hello"))
		_ = c.Close()
	})
	address, secure := serveSecurely(t, mux, patience)

	var mu sync.Mutex
	dialed := 0
	dialer := &tls.Dialer{Config: secure}
	transport := &http2.Transport{DialTLSContext: func(ctx context.Context, network, address string, _ *tls.Config) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		dialed++
		return dialer.DialContext(ctx, network, address)
	}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var reads sync.WaitGroup
	for range streams {
		reads.Go(func() {
			res, err := client.Get("https://" + address + "/events")
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = res.Body.Close() }()
			if text, err := io.ReadAll(res.Body); err != nil || string(text) != "data: all are open\n\n" || res.ProtoMajor != 2 {
				t.Errorf("%s %q, %v", res.Proto, text, err)
			}
		})
	}
	reads.Wait()
	if dialed != 1 {
		t.Errorf("there were %d connections, want 1", dialed)
	}

	sockets := &websocket.Dialer{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // see above
	c, res, err := sockets.Dial("wss://"+address+"/rtc", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, text, err := c.ReadMessage(); err != nil || string(text) != "hello" || res.ProtoMajor != 1 {
		t.Errorf("the WebSocket: %s %q, %v", res.Proto, text, err)
	}
}

// A client of HTTP/2 stops reading one stream and goes on with the connection: that
// stream is given up.
func TestStreamsThatNobodyReadsAreGivenUp(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	endless := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := io.WriteString(w, strings.Repeat("x", 100<<10)); err != nil {
				<-r.Context().Done()
				ended <- err
				return
			}
		}
	})
	address, secure := serveSecurely(t, endless, short)
	c, err := tls.Dial("tcp", address, secure)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		t.Fatal(err)
	}
	framer := http2.NewFramer(c, c)
	var head bytes.Buffer
	encoder := hpack.NewEncoder(&head)
	for _, field := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", "/"}} {
		if err := encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := framer.WriteSettings(); err != nil {
		t.Fatal(err)
	}
	if err := framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head.Bytes(), EndStream: true, EndHeaders: true}); err != nil {
		t.Fatal(err)
	}
	for { // the frames are read, and no window is given
		frame, err := framer.ReadFrame()
		if err != nil {
			t.Fatalf("the connection ended: %v", err)
		}
		if reset, ok := frame.(*http2.RSTStreamFrame); ok && reset.StreamID == 1 {
			break
		}
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the handler still writes to a stream that nobody reads")
	}
}

// A stream may be silent for longer than a write may take.
func TestAStreamMayBeSilentLongerThanAWriteMayTake(t *testing.T) {
	t.Parallel()
	quiet := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, text := range []string{"one ", "two ", "three"} {
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(3 * short):
			case <-r.Context().Done():
			}
		}
	})
	address, secure := serveSecurely(t, quiet, short)
	client := &http.Client{Transport: &http2.Transport{TLSClientConfig: secure}}
	res, err := client.Get("https://" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if text, err := io.ReadAll(res.Body); err != nil || string(text) != "one two three" {
		t.Errorf("%q, %v", text, err)
	}
}

package notify

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A network between the hub and PostgreSQL drops everything without closing the
// connection. The hub notices, connects again, and misses nothing.
func TestACutConnectionIsNoticed(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	d := dbtest.Open(t, where)
	road := newRoad(t, where.URL)
	hub := New(d, slog.New(slog.DiscardHandler))
	hub.url, hub.quiet = road.url, 50*time.Millisecond
	run(t, hub)
	wake, cancel := hub.Subscribe("room/1")
	defer cancel()
	within(t, wake, "it listens for the first time")

	road.cut()
	within(t, wake, "it listens on another connection")
	sender := New(d, slog.New(slog.DiscardHandler))
	run(t, sender)
	err := d.Write(t.Context(), func(tx *db.Tx) error { sender.Notify(tx, "room/1"); return nil })
	if err != nil {
		t.Fatal(err)
	}
	within(t, wake, "another node tells it")
}

func run(t *testing.T, h *Hub) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { h.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
}

func within(t *testing.T, wake <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-wake:
	case <-time.After(time.Minute):
		t.Fatalf("no wake-up when %s", what)
	}
}

// road is a network to PostgreSQL. Connections that were made before a cut carry
// nothing any more, and stay open.
type road struct {
	url string

	mu  sync.Mutex
	end chan struct{} // closed at the next cut
}

func newRoad(t *testing.T, address string) *road {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u.Host = listener.Addr().String()
	r := &road{url: u.String(), end: make(chan struct{})}
	var carrying sync.WaitGroup
	carrying.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			carrying.Go(func() { r.carry(client, server) })
		}
	})
	t.Cleanup(func() { _ = listener.Close(); carrying.Wait() })
	return r
}

func (r *road) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.end)
	r.end = make(chan struct{})
}

// carry relays one connection until the client ends it, but nothing after a cut.
func (r *road) carry(client net.Conn, address string) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	r.mu.Lock()
	end := r.end
	r.mu.Unlock()
	go func() { _, _ = io.Copy(until{client, end}, server) }()
	_, _ = io.Copy(until{server, end}, client)
}

// until swallows what is written after a cut.
type until struct {
	io.Writer

	end <-chan struct{}
}

func (u until) Write(p []byte) (int, error) {
	select {
	case <-u.end:
		return len(p), nil
	default:
		return u.Writer.Write(p)
	}
}

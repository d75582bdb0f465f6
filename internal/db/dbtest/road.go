package dbtest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Road is a network between the service and PostgreSQL that can fail without a
// word: connections stay open and carry nothing any more.
type Road struct {
	// Straight is the same database without the road.
	Straight db.Config

	server string

	mu     sync.Mutex
	closed bool
	end    chan struct{} // closed when the connections of now carry nothing any more
}

// NewRoad gives a fresh PostgreSQL database behind a road.
func NewRoad(t *testing.T) (*Road, db.Config) {
	t.Helper()
	c := Config(t, db.PostgreSQL)
	u, err := url.Parse(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Road{Straight: c, server: u.Host, end: make(chan struct{})}
	var carrying sync.WaitGroup
	carrying.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			carrying.Go(func() { r.carry(client) })
		}
	})
	t.Cleanup(func() { // runs after the databases that tests open on it are closed
		_ = listener.Close()
		carrying.Wait()
	})
	u.Host = listener.Addr().String()
	c.URL = u.String()
	return r, c
}

// Cut makes the connections of now carry nothing any more. New ones do.
func (r *Road) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		close(r.end)
		r.end = make(chan struct{})
	}
}

// Close makes all connections carry nothing any more, until Reopen; those of now
// never do again.
func (r *Road) Close() {
	r.Cut()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	close(r.end)
}

// Reopen lets new connections through.
func (r *Road) Reopen() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed, r.end = false, make(chan struct{})
}

// carry relays one connection until the client ends it, but nothing after it was
// cut.
func (r *Road) carry(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", r.server)
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

// until swallows what is written after the end.
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

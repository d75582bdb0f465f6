// Package roadtest is a network that can fail without a word, for tests.
package roadtest

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Road is a network between the service and a server, such as PostgreSQL or Redis,
// that can fail without a word: connections stay open and carry nothing any more.
type Road struct {
	// Address leads to the server over the road.
	Address string

	server string

	mu      sync.Mutex
	closed  bool
	end     chan struct{} // closed when the connections that are open must carry no more data
	clients map[net.Conn]*said
}

// New makes a road to the address of a server.
func New(t testing.TB, server string) *Road {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Road{Address: listener.Addr().String(), server: server, end: make(chan struct{}), clients: map[net.Conn]*said{}}
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
	t.Cleanup(func() { // runs after what the test opens at the other end is closed
		_ = listener.Close()
		ended := make(chan struct{})
		go func() { defer close(ended); carrying.Wait() }()
		select {
		case <-ended:
		case <-time.After(hangUpAfter):
			for _, last := range r.hangUp() {
				t.Errorf("a client has left a connection open, on which it has said at last %q", last)
			}
			<-ended
		}
	})
	return r
}

// hangUpAfter is how long clients may take to end their connections. pgx gives up a
// connection that is lost after fifteen seconds.
const hangUpAfter = time.Minute

// hangUp ends the connections that a client has left open, and returns what was said last
// on each.
func (r *Road) hangUp() (last []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for client, said := range r.clients {
		last = append(last, said.last())
		_ = client.Close()
	}
	return last
}

// Cut stops all data on the connections that are open; new connections work.
func (r *Road) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		close(r.end)
		r.end = make(chan struct{})
	}
}

// Close makes all connections carry nothing any more. After Reopen, new
// connections work again; the ones that were open do not.
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
	defer r.forget(client)
	heard := &said{}
	r.mu.Lock()
	end := r.end
	r.clients[client] = heard
	r.mu.Unlock()
	server, err := net.Dial("tcp", r.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(until{client, end}, server) }()
	_, _ = io.Copy(io.MultiWriter(heard, until{server, end}), client)
}

func (r *Road) forget(client net.Conn) {
	_ = client.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.clients, client)
}

// said keeps what a client has said last.
type said struct {
	mu   sync.Mutex
	text []byte
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p...)
	s.text = s.text[max(0, len(s.text)-500):]
	return len(p), nil
}

func (s *said) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text)
}

// until drops everything that is written to it after end was closed.
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

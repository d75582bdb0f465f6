// Package roadtest is a network that can fail without a word, for tests.
package roadtest

import (
	"bytes"
	"io"
	"net"
	"sync"
	"sync/atomic"
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
	loses   []string // the answers to the last of these are lost; nil for none
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

// LoseAnswersTo makes connections work in one direction only: when a client has said all
// of these on one, in this order, what the server answers to the last of them and
// afterwards is lost there. Without arguments it ends that for the other connections.
func (r *Road) LoseAnswersTo(said ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loses = said
}

// losing returns what a client has to say, in order, for the answers to be lost.
func (r *Road) losing() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loses
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
	there := &questions{road: r}
	go func() { _, _ = io.Copy(answers{until{client, end}, there}, server) }()
	_, _ = io.Copy(io.MultiWriter(heard, there, until{server, end}), client)
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

// questions notices when a client has said that to which the answers are lost.
type questions struct {
	road  *Road
	heard int // of what the road waits for
	lost  atomic.Bool
}

func (q *questions) Write(p []byte) (int, error) {
	losing := q.road.losing()
	for q.heard < len(losing) && bytes.Contains(p, []byte(losing[q.heard])) {
		q.heard++
	}
	if len(losing) > 0 && q.heard >= len(losing) {
		q.lost.Store(true)
	}
	return len(p), nil
}

// answers drops everything after the answers are lost.
type answers struct {
	io.Writer

	to *questions
}

func (a answers) Write(p []byte) (int, error) {
	if a.to.lost.Load() {
		return len(p), nil
	}
	return a.Writer.Write(p)
}

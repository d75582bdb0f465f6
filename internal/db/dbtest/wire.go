package dbtest

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Wire is a network between the service and PostgreSQL that can hold back the
// answer to a commit: the server has committed, and the service does not know
// yet.
type Wire struct {
	// Held receives when the answer to a commit has arrived and is held back.
	Held chan struct{}

	server  string
	armed   atomic.Bool
	verdict chan bool // whether the answer that is held back passes
}

// NewWire gives a fresh PostgreSQL database behind a wire.
func NewWire(t *testing.T) (*Wire, db.Config) {
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
	w := &Wire{Held: make(chan struct{}, 1), server: u.Host, verdict: make(chan bool, 1)}
	var carriers sync.WaitGroup
	carriers.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			carriers.Go(func() { w.carry(client) })
		}
	})
	t.Cleanup(func() { // runs after the databases that tests open on it are closed
		_ = listener.Close()
		carriers.Wait()
	})
	u.Host = listener.Addr().String()
	c.URL = u.String()
	return w, c
}

// HoldNextCommit makes the wire hold back the answer to the next commit.
func (w *Wire) HoldNextCommit() { w.armed.Store(true) }

// Deliver lets the answer that is held back go on.
func (w *Wire) Deliver() { w.verdict <- true }

// Cut breaks the connection whose answer is held back.
func (w *Wire) Cut() { w.verdict <- false }

// carry relays one connection until either side ends it.
func (w *Wire) carry(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", w.server)
	if err != nil {
		return
	}
	var committing atomic.Bool
	var both sync.WaitGroup
	both.Go(func() {
		defer func() { _ = server.Close() }()
		pump(client, server, func(message []byte) bool {
			if bytes.Contains(message, []byte("commit\x00")) && w.armed.CompareAndSwap(true, false) {
				committing.Store(true)
			}
			return true
		})
	})
	pump(server, client, func([]byte) bool {
		if !committing.CompareAndSwap(true, false) {
			return true
		}
		w.Held <- struct{}{}
		return <-w.verdict
	})
	_ = client.Close()
	both.Wait()
}

// pump relays what it reads for as long as look returns true.
func pump(from io.Reader, to io.Writer, look func([]byte) bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || !look(buffer[:n]) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

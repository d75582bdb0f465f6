package server

import (
	"net"
	"sync/atomic"
	"time"
)

const (
	// patience is how long a client may accept no data before its connection is
	// given up. A network that was interrupted is back by then. Without a
	// limit, a client that stops reading would hold its answer, and the
	// goroutine that sends it, for ever.
	patience = 20 * time.Second
	// pieceSize is how much a client must accept in that time; a slow connection
	// accepts more.
	pieceSize = 16 << 10
)

// patient is a listener on whose connections every write has a deadline. The
// deadline is set here and not in the handlers because all of them write:
// streams of events, the files of the interface, and lists.
type patient struct {
	net.Listener

	patience time.Duration
}

// Accept waits for the next connection.
func (l patient) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err //nolint:wrapcheck // net/http checks the kind of error
	}
	return &patientConn{Conn: c, patience: l.patience}, nil
}

type patientConn struct {
	net.Conn

	patience time.Duration
	own      atomic.Int64 // the deadline set by the handler, in nanoseconds since 1970; 0: none
}

// Write sends one piece after the other, each with its own deadline.
func (c *patientConn) Write(b []byte) (sent int, err error) {
	for {
		piece := b[sent:min(sent+pieceSize, len(b))]
		if err := c.Conn.SetWriteDeadline(c.until()); err != nil {
			return sent, err //nolint:wrapcheck // a connection's own error
		}
		n, err := c.Conn.Write(piece)
		sent += n
		if err != nil || sent == len(b) {
			return sent, err //nolint:wrapcheck // as above
		}
	}
}

func (c *patientConn) until() time.Time {
	until := time.Now().Add(c.patience) //nolint:forbidigo // deadlines of sockets follow the real clock
	if own := c.own.Load(); own != 0 && own < until.UnixNano() {
		return time.Unix(0, own)
	}
	return until
}

// SetWriteDeadline sets a deadline that applies if it is earlier than the
// connection's own, such as that of a WebSocket message.
func (c *patientConn) SetWriteDeadline(t time.Time) error {
	c.ask(t)
	return c.Conn.SetWriteDeadline(t) //nolint:wrapcheck // a connection's own error
}

// SetDeadline does the same for both directions.
func (c *patientConn) SetDeadline(t time.Time) error {
	c.ask(t)
	return c.Conn.SetDeadline(t) //nolint:wrapcheck // as above
}

func (c *patientConn) ask(t time.Time) {
	if t.IsZero() {
		c.own.Store(0)
		return
	}
	c.own.Store(t.UnixNano())
}

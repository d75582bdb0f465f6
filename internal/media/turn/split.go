package turn

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"
)

const (
	// firstByte is how long a connection has for its TLS handshake and its first
	// byte, as long as HTTP gives it for the head of its first request.
	firstByte = 10 * time.Second
	// mostUnread is how many connections may be waited for, and mostUnreadOfSite how
	// many of one network. Those beyond it go on unread to HTTP, which has limits of
	// its own.
	mostUnread       = 1024
	mostUnreadOfSite = 256
)

// begins says whether a byte is the first one of a message of STUN: its type
// begins with two zero bits, and no type in use is larger than 0x3ff (RFC 8489,
// section 5). HTTP begins with a letter.
func begins(first byte) bool { return first < 4 }

// Split shares the connections of a listener, with or without TLS, between HTTP
// and TURN, by their first byte. A connection that agreed on HTTP/2 is passed on
// unread, because net/http takes no other than a *tls.Conn for HTTP/2. Closing web closes the listener; closing turn
// only refuses new connections of TURN.
func Split(l net.Listener) (web, turn net.Listener) {
	return split(l, firstByte, mostUnread, mostUnreadOfSite)
}

func split(l net.Listener, patience time.Duration, most, ofSite int) (web, turn net.Listener) {
	s := &splitter{Listener: l, patience: patience, unread: make(chan struct{}, most), mostOfSite: ofSite, ofSite: map[string]int{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	w := &share{splitter: s, conns: make(chan net.Conn), errs: make(chan error), close: func() error { s.end(); return l.Close() }}
	w.ctx = s.ctx
	t := &share{splitter: s, conns: make(chan net.Conn)}
	ctx, end := context.WithCancel(s.ctx)
	t.ctx, t.close = ctx, func() error { end(); return nil }
	s.web, s.turn = w, t
	go s.run()
	return w, t
}

type splitter struct {
	net.Listener

	ctx       context.Context //nolint:containedctx // the life of the listener
	end       context.CancelFunc
	patience  time.Duration
	unread    chan struct{} // holds one token for each connection that is waited for
	web, turn *share

	mostOfSite int
	mu         sync.Mutex     // guards ofSite
	ofSite     map[string]int // how many connections of a network are waited for
}

// share is one of the two listeners.
type share struct {
	*splitter

	ctx   context.Context //nolint:containedctx // the life of this listener
	conns chan net.Conn
	errs  chan error // nil: reports none but its end
	close func() error
	once  sync.Once
}

// Accept waits for the next connection of this kind.
func (s *share) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case err := <-s.errs:
		return nil, err
	case <-s.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (s *share) Close() (err error) {
	s.once.Do(func() { err = s.close() })
	return err
}

// pass hands a connection over, or closes it if nobody takes connections any
// more.
func (s *share) pass(c net.Conn) {
	select {
	case s.conns <- c:
	case <-s.ctx.Done():
		_ = c.Close()
	}
}

// run accepts connections until the listener is closed. HTTP decides what to do
// about an error, by accepting again or not.
func (s *splitter) run() {
	for {
		c, err := s.Accept()
		if err != nil {
			select {
			case s.web.errs <- err:
				continue
			case <-s.ctx.Done():
				return
			}
		}
		select {
		case s.unread <- struct{}{}:
			go s.take(c)
		default:
			go s.web.pass(c)
		}
	}
}

// take waits for the first byte of a connection, which says where the connection
// belongs. It does not wait when too many connections of the same network have sent no byte
// yet: then the connection goes to HTTP. Where a proxy says where a connection comes from,
// asking for its address waits for the proxy, so this is not done while accepting.
func (s *splitter) take(c net.Conn) {
	site := siteOf(addressOf(c.RemoteAddr()).Addr())
	if !s.enter(site) {
		<-s.unread
		s.web.pass(c)
		return
	}
	first, err := s.peek(c)
	s.leave(site)
	s.sort(c, first, err)
	<-s.unread
}

// enter counts a connection for its network; false when that has too many. Connections
// through a proxy on this machine count for none.
func (s *splitter) enter(site string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if site != "" && s.ofSite[site] >= s.mostOfSite {
		return false
	}
	s.ofSite[site]++
	return true
}

func (s *splitter) leave(site string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ofSite[site]--; s.ofSite[site] == 0 {
		delete(s.ofSite, site)
	}
}

// sort hands a connection over, by its first byte.
func (s *splitter) sort(c net.Conn, first byte, err error) {
	if err == nil && agreedOnHTTP2(c) {
		s.web.pass(c)
		return
	}
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &plain):
		s.web.pass(c) // no TLS, which HTTP answers with a sentence
	case err != nil:
		_ = c.Close()
	case begins(first):
		s.turn.pass(replayed(c, first))
	default:
		s.web.pass(replayed(c, first))
	}
}

// agreedOnHTTP2 says whether a connection, after its handshake, is for HTTP/2.
func agreedOnHTTP2(c net.Conn) bool {
	secured, ok := c.(*tls.Conn)
	return ok && secured.ConnectionState().NegotiatedProtocol == "h2"
}

// peek waits for the first byte of a connection, which it does not read from one
// for HTTP/2.
func (s *splitter) peek(c net.Conn) (byte, error) {
	ctx, cancel := context.WithTimeout(s.ctx, s.patience)
	defer cancel()
	if secured, ok := c.(*tls.Conn); ok {
		if err := secured.HandshakeContext(ctx); err != nil {
			return 0, err
		}
		if agreedOnHTTP2(c) {
			return 0, nil
		}
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	var first [1]byte
	_, err := c.Read(first[:])
	if !stop() {
		return 0, context.Cause(ctx)
	}
	return first[0], err
}

// replayed is a connection from which its first byte can be read again. HTTP sees
// the state of TLS.
func replayed(c net.Conn, first byte) net.Conn {
	if secured, ok := c.(*tls.Conn); ok {
		return &securedConn{Conn: secured, first: []byte{first}}
	}
	return &plainConn{Conn: c, first: []byte{first}}
}

type securedConn struct {
	*tls.Conn

	first []byte
}

// Read reads the first byte again, and then what follows.
func (c *securedConn) Read(b []byte) (int, error) { return readAgain(c.Conn, &c.first, b) }

type plainConn struct {
	net.Conn

	first []byte
}

// Read reads the first byte again, and then what follows.
func (c *plainConn) Read(b []byte) (int, error) { return readAgain(c.Conn, &c.first, b) }

func readAgain(c net.Conn, first *[]byte, b []byte) (int, error) {
	if len(*first) > 0 && len(b) > 0 {
		n := copy(b, *first)
		*first = (*first)[n:]
		return n, nil
	}
	return c.Read(b)
}

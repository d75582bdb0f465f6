package turn

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

// shared is a listener whose connections are split.
type shared struct {
	address   string
	web, turn net.Listener
}

// saying is a listener that says of its connections where they come from.
type saying struct {
	net.Listener

	from  func(n int) string // the address of the connection with this number; "" for its own
	count int
}

// Accept waits for the next connection.
func (s *saying) Accept() (net.Conn, error) {
	c, err := s.Listener.Accept()
	from := s.from(s.count)
	s.count++
	if err == nil && from != "" {
		return said{c, &net.TCPAddr{IP: net.ParseIP(from), Port: 4711}}, nil
	}
	return c, err
}

func newShared(t *testing.T, patience time.Duration, most int) shared {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web, turn := split(l, patience, most, most)
	t.Cleanup(func() { _ = web.Close() })
	return shared{l.Addr().String(), web, turn}
}

// dial connects and sends something.
func (s shared) dial(t *testing.T, said string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, said); err != nil {
		t.Fatal(err)
	}
	return c
}

// accepts takes the next connection of a listener, and reads what was sent on it.
func accepts(t *testing.T, l net.Listener, want string) {
	t.Helper()
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(want))
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Errorf("reads %q, %v; want %q", got, err, want)
	}
	_ = c.Close()
}

func TestTheFirstByteSaysWhoseAConnectionIs(t *testing.T) {
	t.Parallel()
	s := newShared(t, 10*time.Second, 10)
	s.dial(t, "") // sends nothing at first, and does not delay the others
	for range 2 {
		s.dial(t, "GET / HTTP/1.1\r\n")
		accepts(t, s.web, "GET / HTTP/1.1\r\n")
		s.dial(t, "\x00\x01\x00\x00!")
		accepts(t, s.turn, "\x00\x01\x00\x00!")
		s.dial(t, "\x16\x03\x01") // TLS inside, which is HTTP's to refuse
		accepts(t, s.web, "\x16\x03\x01")
	}
}

func TestASilentConnectionIsClosed(t *testing.T) {
	t.Parallel()
	s := newShared(t, 50*time.Millisecond, 10)
	c := s.dial(t, "")
	_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("reads %d bytes, %v; want the end", n, err)
	} else if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
		t.Error("the connection stays open")
	}
}

// While too many connections send nothing, further ones go to HTTP unread.
func TestTooManySilentConnectionsSendOthersToHTTP(t *testing.T) {
	t.Parallel()
	s := newShared(t, time.Minute, 2)
	for range 2 {
		s.dial(t, "")
	}
	s.dial(t, "GET")
	accepts(t, s.web, "GET")
	s.dial(t, "\x00\x01")
	accepts(t, s.web, "\x00\x01")
}

// Connections of one network that say nothing hold up only those of that network.
func TestSilentConnectionsOfOneNetworkHoldUpOnlyIt(t *testing.T) {
	t.Parallel()
	const most, ofSite = 64, 16
	for network, c := range map[string]struct {
		from func(n int) string
		idle int // connections that say nothing
		read int // how many of them are waited for
	}{
		"one address":    {func(int) string { return "198.51.100.7" }, most, ofSite},
		"one IPv6 site":  {func(n int) string { return fmt.Sprintf("2001:db8:1:%x::1", n) }, most, ofSite},
		"this machine's": {func(int) string { return "" }, most - 1, most - 1}, // a proxy's, which count for no network
	} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			s := shared{address: l.Addr().String()}
			s.web, s.turn = split(&saying{Listener: l, from: func(n int) string {
				if n < c.idle {
					return c.from(n)
				}
				return "203.0.113.1"
			}}, time.Minute, most, ofSite)
			t.Cleanup(func() { _ = s.web.Close() })
			for range c.idle {
				s.dial(t, "")
			}
			for range c.idle - c.read {
				if _, err := s.web.Accept(); err != nil {
					t.Fatal(err)
				}
			}
			s.dial(t, "\x00\x01")
			accepts(t, s.turn, "\x00\x01")
		})
	}
}

func TestClosingASplitClosesItsListener(t *testing.T) {
	t.Parallel()
	s := newShared(t, time.Minute, 10)
	slow := s.dial(t, "")
	if err := s.turn.Close(); err != nil {
		t.Error(err)
	}
	s.dial(t, "GET")
	accepts(t, s.web, "GET")
	refused := s.dial(t, "\x00\x01")
	for range 2 {
		if err := s.web.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, l := range []net.Listener{s.web, s.turn} {
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("accepts after the end: %v", err)
		}
	}
	for what, c := range map[string]net.Conn{"slow": slow, "refused": refused} {
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		var timeout net.Error
		if _, err := c.Read(make([]byte, 1)); err == nil || errors.As(err, &timeout) && timeout.Timeout() {
			t.Errorf("the %s connection: %v, want the end", what, err)
		}
	}
}

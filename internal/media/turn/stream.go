package turn

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	// introduction is how long a connection may go without an allocation. Making
	// one takes two round trips.
	introduction = 10 * time.Second
	// mostWaiting is how many connections may wait for an allocation, and
	// mostOfNetwork how many of one network.
	mostWaiting   = 1024
	mostOfNetwork = 256
	// maxMessage bounds a message. Packets of media have at most some 1,500 bytes.
	maxMessage = 1600
)

var errMessage = errors.New("not a message of TURN")

// listener makes a stream of each connection.
type listener struct {
	net.Listener

	server *Server
}

// Accept waits for the next connection that there is room for.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if st := l.server.open(c); st != nil {
			return st, nil
		}
		_ = c.Close()
	}
}

// stream is the connection of a device. It lives as long as its allocation, and
// ends soon if it has none.
type stream struct {
	net.Conn

	server  *Server
	device  netip.AddrPort
	network netip.Prefix
	in      *bufio.Reader
	end     *time.Timer
	waits   bool // has no allocation; guarded by the server's mu
	closing sync.Once
}

// open registers a new connection; it returns nil if there are too many, or one from the
// same address and port.
func (s *Server) open(c net.Conn) *stream {
	device := addressOf(c.RemoteAddr())
	st := &stream{Conn: c, server: s, device: device, network: networkOf(device.Addr()), in: bufio.NewReaderSize(c, 2*maxMessage), waits: true}
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for _, n := range s.waiting {
		total += n
	}
	// A balancer may say of two connections that they come from the same port, because it
	// has several addresses of its own. The library tells devices apart by that port.
	if s.streams[device] != nil || s.closed || total >= mostWaiting || s.waiting[st.network] >= mostOfNetwork {
		return nil
	}
	s.streams[device] = st
	s.waiting[st.network]++
	st.end = time.AfterFunc(s.introduction, func() { _ = st.Close() })
	return st
}

// networkOf is the network of a device: its address, or the first 64 bits of an
// IPv6 address.
func networkOf(a netip.Addr) netip.Prefix { return prefixOf(a, 64) }

// prefixOf is an IPv4 address, or the first bits of an IPv6 one.
func prefixOf(a netip.Addr, bits int) netip.Prefix {
	if !a.Is6() {
		bits = a.BitLen()
	}
	p, _ := a.WithZone("").Prefix(bits) // the zero prefix for an address that is not one
	return p
}

// allocated keeps the connection of a device that has got an allocation.
func (s *Server) allocated(device net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.streamOf(device); st != nil && st.waits {
		st.end.Stop()
		st.waits = false
		s.waitsNoMore(st.network)
	}
}

// deallocated gives the connection of a device whose allocation has ended a
// moment for the answer, or for another allocation.
func (s *Server) deallocated(device net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.streamOf(device); st != nil && !st.waits {
		st.waits = true
		s.waiting[st.network]++
		st.end.Reset(s.introduction)
	}
}

// streamOf is the connection of a device that speaks TCP. The caller holds mu.
func (s *Server) streamOf(device net.Addr) *stream {
	if _, tcp := device.(*net.TCPAddr); !tcp {
		return nil
	}
	return s.streams[addressOf(device)]
}

func (s *Server) waitsNoMore(network netip.Prefix) {
	if s.waiting[network]--; s.waiting[network] <= 0 {
		delete(s.waiting, network)
	}
}

// Read reads exactly one message, as a packet would be. The library trusts the
// length in a message's head, and would be busy for ever with some of them.
func (c *stream) Read(b []byte) (int, error) {
	head, err := c.in.Peek(4)
	if err != nil {
		return 0, err
	}
	length, ok := lengthOf(head)
	if !ok || length > len(b) {
		return 0, errMessage
	}
	return io.ReadFull(c.in, b[:length])
}

// lengthOf is the length of a message that begins with these four bytes: a
// message of STUN, or a packet in a channel, which is padded (RFC 8656, section
// 12.5).
func lengthOf(head []byte) (int, bool) {
	says := int(binary.BigEndian.Uint16(head[2:]))
	var length int
	switch {
	case begins(head[0]):
		length = 20 + says
		if says%4 != 0 {
			return 0, false
		}
	case head[0] >= 0x40 && head[0] <= 0x4f:
		length = 4 + (says+3)/4*4
	default:
		return 0, false
	}
	return length, length <= maxMessage
}

// Write closes the connection when it fails: the device cannot find the next
// message after half a message.
func (c *stream) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if err != nil {
		_ = c.Close()
	}
	return n, err
}

// Close closes the connection. The library then ends the allocation.
func (c *stream) Close() error {
	c.closing.Do(func() {
		c.server.mu.Lock()
		defer c.server.mu.Unlock()
		c.end.Stop()
		delete(c.server.streams, c.device)
		if c.waits {
			c.server.waitsNoMore(c.network)
		}
	})
	return c.Conn.Close()
}

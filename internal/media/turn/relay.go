package turn

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/pion/turn/v5"
)

const (
	// mostHeld is how many allocations one person may have. A browser makes one
	// for each of its two media connections, network and way to this server.
	mostHeld = 32
	// mostRelays is how many allocations there may be in all. Each is a socket.
	mostRelays = 4096
	// silence is how long an allocation is kept to which the media server sends
	// nothing. To a device that is in it sends something every few seconds.
	silence = time.Minute
	// mostChannels is how many addresses a device may bind a channel to. It needs
	// one for each address of the media server.
	mostChannels = 16
)

var (
	errElsewhere = errors.New("only media addresses can be reached")
	errTCP       = errors.New("TCP is not relayed")
	errPort      = errors.New("the port of an allocation cannot be chosen")
	errFamily    = errors.New("the media server has another IP version")
	errQuota     = errors.New("there are too many allocations")
)

// peers are the media addresses that can be reached, both ways.
type peers struct {
	local  map[netip.AddrPort]netip.AddrPort // by public address
	public map[netip.AddrPort]netip.AddrPort // by local address
	hosts  map[netip.Addr]struct{}           // of the public addresses
}

func newPeers(own Peer, others []netip.AddrPort) *peers {
	p := &peers{
		local:  map[netip.AddrPort]netip.AddrPort{own.Public: own.Local},
		public: map[netip.AddrPort]netip.AddrPort{own.Local: own.Public},
		hosts:  map[netip.Addr]struct{}{own.Public.Addr(): {}},
	}
	for _, other := range others {
		if other == own.Public {
			continue
		}
		p.local[other], p.public[other] = other, other
		p.hosts[other.Addr()] = struct{}{}
	}
	return p
}

// permit decides about an address to which a device wants to send. The port is
// checked with each packet.
func (s *Server) permit(_ net.Addr, ip net.IP) bool {
	address, ok := netip.AddrFromSlice(ip)
	if !ok {
		return false
	}
	_, known := s.peers.Load().hosts[address.Unmap()]
	return known
}

// generator opens the sockets of allocations.
type generator struct{ server *Server }

var _ turn.RelayAddressGenerator = generator{}

// Validate has nothing to check.
func (g generator) Validate() error { return nil }

// AllocateListener refuses: TCP is not relayed.
func (g generator) AllocateListener(turn.AllocateListenerConfig) (net.Listener, net.Addr, error) {
	return nil, nil, errTCP
}

// AllocateConn refuses: TCP is not relayed.
func (g generator) AllocateConn(turn.AllocateConnConfig) (net.Conn, error) { return nil, errTCP }

// AllocatePacketConn opens the socket of one allocation, on the address from which
// the media server is reached.
func (g generator) AllocatePacketConn(c turn.AllocateListenerConfig) (net.PacketConn, net.Addr, error) {
	s := g.server
	name, ok := parseName(c.UserID)
	if !ok || c.RequestedPort != 0 { // without a user the library only looks for a port
		return nil, nil, errPort
	}
	local := s.config.Own.Local.Addr()
	if local.Is4() != (c.Network == "udp4") {
		return nil, nil, errFamily
	}
	if err := s.take(name.person); err != nil {
		return nil, nil, err
	}
	socket, err := net.ListenUDP(c.Network, net.UDPAddrFromAddrPort(netip.AddrPortFrom(local, 0)))
	if err != nil {
		s.giveBack(name.person)
		return nil, nil, fmt.Errorf("open a relay's socket: %w", err)
	}
	r := &relay{UDPConn: socket, server: s, name: name, heard: s.config.Now()}
	if !s.enter(r) {
		_ = r.Close()
		return nil, nil, net.ErrClosed
	}
	return r, socket.LocalAddr(), nil
}

// take counts an allocation of a person.
func (s *Server) take(person string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for _, n := range s.held {
		total += n
	}
	if s.held[person] >= mostHeld || total >= mostRelays {
		return errQuota
	}
	s.held[person]++
	return nil
}

func (s *Server) giveBack(person string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[person]--; s.held[person] <= 0 {
		delete(s.held, person)
	}
}

func (s *Server) enter(r *relay) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.relays[r.address()] = r
	return !s.closed
}

// bound counts a new channel of an allocation. Channels to other addresses lead
// nowhere, but each takes memory.
func (s *Server) bound(at net.Addr) {
	s.mu.Lock()
	r := s.relays[addressOf(at)]
	s.mu.Unlock()
	if r == nil {
		return
	}
	if r.channels++; r.channels > mostChannels { // the library adds one channel at a time
		_ = r.UDPConn.Close() // and the reader ends the allocation
	}
}

// relay is the socket of one allocation. It only carries packets between the
// device and media servers, whose public addresses the device sees.
type relay struct {
	*net.UDPConn

	server   *Server
	name     name
	heard    time.Time // when a media server last sent something; only the reader uses it
	channels int
	closing  sync.Once
}

func (r *relay) address() netip.AddrPort { return addressOf(r.LocalAddr()) }

// WriteTo sends a packet of the device to a media server.
func (r *relay) WriteTo(b []byte, to net.Addr) (int, error) {
	local, ok := r.server.peers.Load().local[addressOf(to)]
	if !ok {
		return 0, errElsewhere
	}
	return r.WriteToUDPAddrPort(b, local)
}

// ReadFrom waits for a packet of a media server. It fails once the allocation is
// over.
func (r *relay) ReadFrom(b []byte) (int, net.Addr, error) {
	until := r.heard.Add(silence)
	if r.name.expiry.Before(until) {
		until = r.name.expiry
	}
	left := until.Sub(r.server.config.Now())
	if err := r.SetReadDeadline(time.Now().Add(left)); err != nil {
		return 0, nil, err
	}
	for {
		n, from, err := r.ReadFromUDPAddrPort(b)
		if err != nil {
			return 0, nil, err
		}
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		if public, ok := r.server.peers.Load().public[from]; ok {
			r.heard = r.server.config.Now()
			return n, net.UDPAddrFromAddrPort(public), nil
		}
	}
}

// Close ends the allocation.
func (r *relay) Close() error {
	err := r.UDPConn.Close()
	r.closing.Do(func() {
		r.server.giveBack(r.name.person)
		r.server.mu.Lock()
		defer r.server.mu.Unlock()
		delete(r.server.relays, r.address())
	})
	if errors.Is(err, net.ErrClosed) {
		return nil // bound has closed it, or the server
	}
	return err
}

// addressOf is the address and port of a device or of a socket.
func addressOf(a net.Addr) netip.AddrPort {
	var at netip.AddrPort
	switch a := a.(type) {
	case *net.UDPAddr:
		at = a.AddrPort()
	case *net.TCPAddr:
		at = a.AddrPort()
	}
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

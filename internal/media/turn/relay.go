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
	// leastShare is how many of them one network may always have, so that some
	// thirty people can come while others hold as many as they get.
	leastShare = 64
	// silence is how long an allocation lasts without packets from the media
	// server, which sends to a connected device every few seconds.
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
	who, ok := parseUser(c.UserID)
	if !ok || c.RequestedPort != 0 { // without a user the library only looks for a port
		return nil, nil, errPort
	}
	local := s.config.Own.Local.Addr()
	if local.Is4() != (c.Network == "udp4") {
		return nil, nil, errFamily
	}
	if err := s.take(who); err != nil {
		return nil, nil, err
	}
	socket, err := net.ListenUDP(c.Network, net.UDPAddrFromAddrPort(netip.AddrPortFrom(local, 0)))
	if err != nil {
		s.giveBack(who)
		return nil, nil, fmt.Errorf("open a relay's socket: %w", err)
	}
	r := &relay{UDPConn: socket, server: s, user: who, heard: s.config.Now()}
	if !s.enter(r) {
		_ = r.Close()
		return nil, nil, net.ErrClosed
	}
	return r, socket.LocalAddr(), nil
}

// take counts an allocation of a person.
func (s *Server) take(u user) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for _, n := range s.held {
		total += n
	}
	if s.held[u.person] >= mostHeld || total >= mostRelays {
		return errQuota
	}
	if theirs := s.heldBy[u.network]; u.network.IsValid() && theirs >= shareOf(total, theirs) {
		return errQuota
	}
	s.held[u.person]++
	if u.network.IsValid() {
		s.heldBy[u.network]++
	}
	return nil
}

// shareOf is how many allocations one network may have: a quarter of what the
// others leave free. A person gets another id with each connection, so what one
// person may have does not bound what one attacker holds. A large company behind
// one address may have a thousand, which is two for each of five hundred people.
func shareOf(total, theirs int) int {
	free := mostRelays - (total - theirs)
	return max(free/4, leastShare)
}

func (s *Server) giveBack(u user) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[u.person]--; s.held[u.person] <= 0 {
		delete(s.held, u.person)
	}
	if s.heldBy[u.network]--; s.heldBy[u.network] <= 0 {
		delete(s.heldBy, u.network)
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
	user     user
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
	if r.user.expiry.Before(until) {
		until = r.user.expiry
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
		r.server.giveBack(r.user)
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

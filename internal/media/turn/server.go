package turn

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/turn/v5"
)

// Realm is the realm of all credentials.
const Realm = "conclave"

// Peer is the media address of a node.
type Peer struct {
	Public netip.AddrPort // as devices know it
	Local  netip.AddrPort // as this machine reaches it, which differs where a router translates addresses
}

// Config says what a Server needs.
type Config struct {
	Secret []byte // signs credentials; the media server has the same
	Own    Peer   // of the node on this machine
	Now    func() time.Time
	Logger *slog.Logger
}

// Server is a TURN server for the media of one cluster.
type Server struct {
	config       Config
	introduction time.Duration // as the constant, except in tests
	peers        atomic.Pointer[peers]

	mu      sync.Mutex // guards the fields below
	relays  map[netip.AddrPort]*relay
	held    map[string]int       // allocations of each person
	heldBy  map[netip.Prefix]int // and of each network
	streams map[netip.AddrPort]*stream
	waiting map[netip.Prefix]int // streams without an allocation, by network
	running []*turn.Server
	closed  bool
}

// New makes a Server, which listens nowhere yet.
func New(c Config) (*Server, error) {
	if len(c.Secret) == 0 || !c.Own.Public.IsValid() || !c.Own.Local.IsValid() {
		return nil, errors.New("a TURN server needs a secret and the address of its media server")
	}
	s := &Server{
		config: c, introduction: introduction, relays: map[netip.AddrPort]*relay{}, held: map[string]int{}, heldBy: map[netip.Prefix]int{},
		streams: map[netip.AddrPort]*stream{}, waiting: map[netip.Prefix]int{},
	}
	s.SetNodes(nil)
	return s, nil
}

// SetNodes replaces the media addresses of the cluster's nodes. Own is always
// among them.
func (s *Server) SetNodes(public []netip.AddrPort) {
	s.peers.Store(newPeers(s.config.Own, public))
}

// Relays says whether an address can be a relay of the cluster. Each node's relays are
// where its media is received. For this node the open relays are known; for others only
// the address is checked.
func (s *Server) Relays(a netip.AddrPort) bool {
	s.mu.Lock()
	_, here := s.relays[a]
	s.mu.Unlock()
	if here || a.Addr() == s.config.Own.Local.Addr() {
		return here
	}
	_, known := s.peers.Load().hosts[a.Addr()]
	return known && a.Port() >= firstPort
}

// firstPort is the first of the ports that Linux gives to sockets that ask for any
// (ip_local_port_range), as relays do.
const firstPort = 32768

// Serve serves the connections of a listener, which carry whole messages once
// TLS is taken off. It returns at once; Close ends it, and closes the listener.
func (s *Server) Serve(l net.Listener) error {
	return s.run(turn.ServerConfig{
		ListenerConfigs: []turn.ListenerConfig{{Listener: &listener{Listener: l, server: s}, RelayAddressGenerator: generator{s}, PermissionHandler: s.permit}},
	})
}

// ServePackets serves the packets of a UDP socket, in the same way.
func (s *Server) ServePackets(c net.PacketConn) error {
	return s.run(turn.ServerConfig{
		PacketConnConfigs: []turn.PacketConnConfig{{PacketConn: c, RelayAddressGenerator: generator{s}, PermissionHandler: s.permit}},
	})
}

func (s *Server) run(c turn.ServerConfig) error {
	c.Realm, c.AuthHandler, c.LoggerFactory = Realm, s.authenticate, logs{s.config.Logger}
	c.InboundMTU = maxMessage + 1 // the library drops a message that fills its buffer
	// Without an address family in the request, as from browsers, the library
	// would take that of the device's connection, and a device with IPv6 could not
	// reach a media server with IPv4.
	c.StrictAddressFamily = s.config.Own.Local.Addr().Is4()
	c.EventHandler = turn.EventHandler{
		OnAllocationCreated: func(device, _ net.Addr, _, _, _ string, _ net.Addr, _ int) { s.allocated(device) },
		OnAllocationDeleted: func(device, _ net.Addr, _, _, _ string) { s.deallocated(device) },
		OnChannelCreated:    func(_, _ net.Addr, _, _, _ string, at, _ net.Addr, _ uint16) { s.bound(at) },
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	running, err := turn.NewServer(c)
	if err != nil {
		return fmt.Errorf("start the TURN server: %w", err)
	}
	s.running = append(s.running, running)
	return nil
}

// Allocations is how many allocations there are.
func (s *Server) Allocations() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.relays)
}

// Close ends all allocations and connections.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	running := s.running
	var open []net.Conn
	for _, c := range s.streams {
		open = append(open, c.Conn)
	}
	var relays []*relay
	for _, r := range s.relays {
		relays = append(relays, r)
	}
	s.running = nil
	s.mu.Unlock()

	var errs []error
	for _, r := range running {
		errs = append(errs, r.Close())
	}
	for _, c := range open {
		_ = c.Close()
	}
	for _, r := range relays {
		_ = r.Close()
	}
	return errors.Join(errs...)
}

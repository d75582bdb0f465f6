package turn

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/turn/v5"
)

// from is a new person of a network. A person gets another id with each
// connection, so a network has any number of them.
func from(s *Server, network string) error {
	return s.take(user{name{fmt.Sprint("PA_", len(s.held)), time.Now()}, netip.MustParsePrefix(network)})
}

// holds takes allocations for new people of a network until one is refused.
func holds(t *testing.T, s *Server, network string) int {
	t.Helper()
	for n := range mostRelays + 1 {
		if err := from(s, network); err != nil {
			if !errors.Is(err, errQuota) {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatal("no end of allocations")
	return 0
}

func TestNoNetworkHoldsAllAllocations(t *testing.T) {
	t.Parallel()
	s := newSite(t).Server
	attackers, office := "198.51.100.7/32", "203.0.113.1/32"
	if n := holds(t, s, attackers); n != mostRelays/4 {
		t.Errorf("one network holds %d allocations, want %d", n, mostRelays/4)
	}
	if n := holds(t, s, office); n != (mostRelays-mostRelays/4)/4 {
		t.Errorf("the next one holds %d", n)
	}
	for _, u := range []user{
		{name{fmt.Sprint("PA_", len(s.held)-1), time.Now()}, netip.MustParsePrefix(office)},
		{name{"PA_0", time.Now()}, netip.MustParsePrefix(attackers)}, // the others have more of its share by now
	} {
		s.giveBack(u)
	}
	if n := holds(t, s, attackers); n != 0 {
		t.Errorf("after one has ended, the first network gets %d more", n)
	}
	if n := holds(t, s, office); n != 1 {
		t.Errorf("after one has ended, the office gets %d more, want 1", n)
	}
}

func TestHowManyNetworksHoldAllAllocations(t *testing.T) {
	t.Parallel()
	s := newSite(t).Server
	left := mostRelays
	for n := 1; left > 0; n++ {
		got := holds(t, s, fmt.Sprintf("198.51.100.%d/32", n))
		if want := min(max(left/4, leastShare), left); got != want {
			t.Errorf("network %d holds %d allocations, want %d", n, got, want)
		}
		if left -= got; left == 0 && n < 13 {
			t.Errorf("%d networks hold all", n)
		}
	}
}

// Behind a proxy on this machine, all connections come from its address, so the address
// says nothing about the device.
func TestAnUnknownNetworkMayHoldAllAllocations(t *testing.T) {
	t.Parallel()
	s := newSite(t).Server
	for n := range mostRelays {
		if err := s.take(user{name{fmt.Sprint("PA_", n), time.Now()}, netip.Prefix{}}); err != nil {
			t.Fatalf("%d of %d allocations: %v", n, mostRelays, err)
		}
	}
	if err := from(s, "198.51.100.7/32"); !errors.Is(err, errQuota) {
		t.Errorf("one more than there are: %v, want %v", err, errQuota)
	}
}

func TestTheNetworkOfADevice(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"198.51.100.7:1": "198.51.100.7/32", "[::ffff:198.51.100.7]:1": "198.51.100.7/32", "[2001:db8:1:2::3]:1": "2001:db8:1::/48",
		"[fe80::1%eth0]:1": "fe80::/48", "127.0.0.1:1": "", "[::1]:1": "",
	} {
		at := netip.MustParseAddrPort(address)
		for _, device := range []net.Addr{net.TCPAddrFromAddrPort(at), net.UDPAddrFromAddrPort(at)} {
			s := newSite(t).Server
			username, _ := CredentialsOf([]byte(secret), "PA_ada", time.Now().Add(time.Hour))
			id, _, ok := s.authenticate(&turn.RequestAttributes{Username: username, Realm: Realm, SrcAddr: device})
			if !ok {
				t.Fatalf("%s: %s is refused", address, username)
			}
			relay, _, err := generator{s}.AllocatePacketConn(turn.AllocateListenerConfig{Network: "udp4", UserID: id})
			if err != nil {
				t.Fatal(err)
			}
			network := netip.Prefix{}
			if want != "" {
				network = netip.MustParsePrefix(want)
			}
			if held := min(len(want), 1); s.heldBy[network] != held || s.held["PA_ada"] != 1 {
				t.Errorf("%s: the networks hold %v, people %v; want %q", address, s.heldBy, s.held, want)
			}
			if err := relay.Close(); err != nil || len(s.heldBy) > 0 || len(s.held) > 0 {
				t.Errorf("%s: after the end, %v; networks hold %v, people %v", address, err, s.heldBy, s.held)
			}
		}
	}
}

// said is a connection with the address that a balancer claims for it.
type said struct {
	net.Conn

	from net.Addr
}

func (s said) RemoteAddr() net.Addr { return s.from }

// A balancer with several addresses may name one port of a device twice. The second
// connection is refused, and the first one stays.
func TestTwoConnectionsOfOnePort(t *testing.T) {
	t.Parallel()
	s := newSite(t).Server
	device := &net.TCPAddr{IP: net.IPv4(203, 0, 113, 7), Port: 4711}
	connection := func() net.Conn {
		here, there := net.Pipe()
		t.Cleanup(func() { _, _ = here.Close(), there.Close() })
		return said{here, device}
	}
	first := s.open(connection())
	if first == nil {
		t.Fatal("the first connection is refused")
	}
	if s.open(connection()) != nil {
		t.Error("the second connection is taken")
	}
	s.allocated(device)
	if first.waits {
		t.Error("the first connection waits for an allocation that it has")
	}
	_ = first.Close()
	if again := s.open(connection()); again == nil {
		t.Error("after the first one has ended, another one is refused")
	} else {
		_ = again.Close()
	}
}

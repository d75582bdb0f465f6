package turn

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pion/turn/v5"
)

func TestARelayReachesTheMediaServer(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, relay := s.allocate("PA_ada")
	for _, text := range []string{"hello", "again", strings.Repeat("x", 1400)} {
		s.reaches(relay, text)
	}
	if n := s.Allocations(); n != 1 {
		t.Errorf("there are %d allocations, want 1", n)
	}
}

// A relay has the address at which a node receives media. For this node only the open
// relays count; for other nodes every port that a relay may have.
func TestWhichAddressesBelongToRelays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, relay := s.allocate("PA_ada")
	s.SetNodes([]netip.AddrPort{netip.MustParseAddrPort("192.0.2.2:7882")})
	here := addressOf(relay.LocalAddr())
	for address, want := range map[netip.AddrPort]bool{
		here: true, netip.AddrPortFrom(here.Addr(), 22): false, netip.AddrPortFrom(here.Addr(), here.Port()^1): false,
		netip.MustParseAddrPort("192.0.2.2:32768"): true, netip.MustParseAddrPort("192.0.2.2:32767"): false, netip.MustParseAddrPort("192.0.2.3:32768"): false,
	} {
		if got := s.Relays(address); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}

func TestARelayReachesNothingElse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	client, relay := s.allocate("PA_ada")
	for _, address := range []string{
		"127.0.0.1:80", s.media.LocalAddr().String(), "10.0.0.1:80", "169.254.169.254:80", "198.51.100.1:7882", "0.0.0.0:7882", "255.255.255.255:7882", "[::1]:80", "[::ffff:127.0.0.1]:80",
	} {
		to := net.UDPAddrFromAddrPort(netip.MustParseAddrPort(address))
		if err := client.CreatePermission(to); err == nil {
			t.Errorf("a device may send to %s", address)
		}
	}

	// Other ports of the media server's address, where the service and others
	// listen. The address of these sockets becomes one of a node.
	service, node := socket(t), socket(t)
	go echo(node)
	s.SetNodes([]netip.AddrPort{addressOf(node.LocalAddr())})
	if _, err := relay.WriteTo([]byte("attack"), service.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	s.reaches(relay, "allowed")
	_ = service.SetReadDeadline(time.Now().Add(time.Millisecond)) // what was sent before the echo is here
	if n, from, err := service.ReadFrom(make([]byte, 100)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("another port of the node receives %d bytes from %v, %v", n, from, err)
	}
	if _, err := relay.WriteTo([]byte("other node"), node.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	if n, from, err := relay.ReadFrom(b); err != nil || string(b[:n]) != "other node" || from.String() != node.LocalAddr().String() {
		t.Errorf("from another node's media server come %q from %v, %v", b[:n], from, err)
	}
}

func TestARelayDropsWhatComesFromElsewhere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, relay := s.allocate("PA_ada")
	s.reaches(relay, "first")
	other := socket(t)
	s.SetNodes([]netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1")}) // so that the address is permitted, though not the port
	if _, err := relay.WriteTo([]byte("to open the way"), other.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	if _, err := other.WriteTo([]byte("from elsewhere"), relay.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	s.reaches(relay, "second") // and nothing before it
}

// The port of an allocation is the system's choice: a device must not choose it,
// nor find out which are free.
func TestAPortCannotBeChosen(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for what, c := range map[string]turn.AllocateListenerConfig{
		"a port": {Network: "udp4", UserID: " 9999999999:PA_ada", RequestedPort: 40000}, "an even port": {Network: "udp4"},
		"another IP version": {Network: "udp6", UserID: " 9999999999:PA_ada"},
	} {
		if _, _, err := (generator{s.Server}).AllocatePacketConn(c); err == nil {
			t.Errorf("%s is allocated", what)
		}
	}
}

func TestNobodyHoldsAllAllocations(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	take := func(person string) (net.PacketConn, error) {
		c, _, err := generator{s.Server}.AllocatePacketConn(turn.AllocateListenerConfig{Network: "udp4", UserID: " 9999999999:" + person})
		return c, err
	}
	var held []net.PacketConn
	for range mostHeld {
		c, err := take("PA_greedy")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, c)
	}
	if _, err := take("PA_greedy"); !errors.Is(err, errQuota) {
		t.Errorf("one more: %v, want %v", err, errQuota)
	}
	if c, err := take("PA_other"); err != nil {
		t.Errorf("another person: %v", err)
	} else {
		_ = c.Close()
	}
	_ = held[0].Close()
	_ = held[0].Close() // counts once
	if c, err := take("PA_greedy"); err != nil {
		t.Errorf("after one has ended: %v", err)
	} else {
		_ = c.Close()
	}
	if _, err := take("PA_greedy"); err != nil {
		t.Errorf("after another has ended: %v", err)
	}
	if _, err := take("PA_greedy"); !errors.Is(err, errQuota) {
		t.Errorf("one more again: %v, want %v", err, errQuota)
	}
}

// An allocation ends when its name expires, and when the media server is silent,
// although the device keeps sending.
func TestAnAllocationEnds(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for what, c := range map[string]struct {
		userID string
		heard  time.Time
	}{
		"with its name":          {"1800000000:PA_ada", now},
		"without media":          {"1900000000:PA_ada", now.Add(-silence)},
		"long after both":        {"1700000000:PA_ada", now.Add(-time.Hour)},
		"while its name expires": {"1800000000:PA_ada", now.Add(-silence / 2)},
	} {
		s := newSite(t)
		s.config.Now = func() time.Time { return now }
		opened, _, err := generator{s.Server}.AllocatePacketConn(turn.AllocateListenerConfig{Network: "udp4", UserID: " " + c.userID})
		if err != nil {
			t.Fatal(err)
		}
		opened.(*relay).heard = c.heard
		if _, _, err := opened.ReadFrom(make([]byte, 100)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: %v, want the end", what, err)
		}
	}
}

func TestADeviceCannotBindEveryAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, relay := s.allocate("PA_ada")
	s.reaches(relay, "hello")
	s.SetNodes([]netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:1")})
	for port := range mostChannels + 1 {
		_, _ = relay.WriteTo([]byte("bind"), net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(port+1))))
	}
	s.eventually("the allocation ends", func() bool { return s.Allocations() == 0 })
}

package turn

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pion/stun/v3"
	"github.com/pion/turn/v5"
)

const secret = "a secret of this test"

// public is the address under which devices know the media server: one that this
// machine does not have, as behind a router that translates it.
var public = netip.MustParseAddrPort("192.0.2.1:7882")

// site is a TURN server with a media server, which sends back what it gets.
type site struct {
	*Server
	t       *testing.T
	media   *net.UDPConn
	address string // of the TURN server, without TLS
}

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteWith(t, introduction)
}

// newSiteWith is newSite with another time for connections without an allocation.
func newSiteWith(t *testing.T, introduction time.Duration) *site {
	t.Helper()
	media := socket(t)
	server, err := New(Config{
		Secret: []byte(secret), Own: Peer{public, addressOf(media.LocalAddr())}, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	server.introduction = introduction
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go echo(media)
	if err := server.Serve(l); err != nil {
		t.Fatal(err)
	}
	return &site{server, t, media, l.Addr().String()}
}

func socket(t *testing.T) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func echo(c *net.UDPConn) {
	b := make([]byte, 2000)
	for {
		n, from, err := c.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		_, _ = c.WriteToUDPAddrPort(b[:n], from)
	}
}

// client is a device with credentials of a person.
func (s *site) client(person string, change func(*turn.ClientConfig)) *turn.Client {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	username, password := CredentialsOf([]byte(secret), person, time.Now().Add(time.Hour))
	c := turn.ClientConfig{
		TURNServerAddr: s.address, STUNServerAddr: s.address, Conn: turn.NewSTUNConn(conn), Username: username, Password: password,
		LoggerFactory: logs{slog.New(slog.DiscardHandler)},
	}
	if change != nil {
		change(&c)
	}
	client, err := turn.NewClient(&c)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(client.Close)
	if err := client.Listen(); err != nil {
		s.t.Fatal(err)
	}
	return client
}

// allocate makes an allocation that works.
func (s *site) allocate(person string) (*turn.Client, net.PacketConn) {
	s.t.Helper()
	client := s.client(person, nil)
	relay, err := client.Allocate()
	if err != nil {
		s.t.Fatal(err)
	}
	return client, relay
}

// reaches sends a packet to the media server and waits for its echo.
func (s *site) reaches(relay net.PacketConn, text string) {
	s.t.Helper()
	if _, err := relay.WriteTo([]byte(text), net.UDPAddrFromAddrPort(public)); err != nil {
		s.t.Fatal(err)
	}
	b := make([]byte, 2000)
	_ = relay.SetReadDeadline(time.Now().Add(10 * time.Second))
	n, from, err := relay.ReadFrom(b)
	if err != nil || string(b[:n]) != text || from.String() != public.String() {
		s.t.Fatalf("the device receives %q from %v, %v; want %q from %v", b[:n], from, err, text, public)
	}
}

// eventually looks until a condition holds.
func (s *site) eventually(what string, so func() bool) {
	s.t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for limit := time.After(10 * time.Second); !so(); {
		select {
		case <-look.C:
		case <-limit:
			s.t.Fatalf("not true after 10 s: %s", what)
		}
	}
}

func TestOnlyCurrentCredentialsGetAnAllocation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if _, err := s.client("PA_ada", nil).AllocateTCP(); err == nil || !strings.Contains(err.Error(), "508") {
		t.Errorf("an allocation of TCP: %v, want 508", err)
	}
	for what, change := range map[string]func(*turn.ClientConfig){
		"an expired name": func(c *turn.ClientConfig) {
			c.Username, c.Password = CredentialsOf([]byte(secret), "PA_ada", time.Now().Add(-time.Second))
		},
		"another secret": func(c *turn.ClientConfig) {
			c.Username, c.Password = CredentialsOf([]byte("other"), "PA_ada", time.Now().Add(time.Hour))
		},
		"a name whose expiry is later": func(c *turn.ClientConfig) { c.Username = "9" + c.Username },
		"a name without an expiry":     func(c *turn.ClientConfig) { c.Username = "PA_ada" },
		"no name":                      func(c *turn.ClientConfig) { c.Username = "" },
	} {
		if _, err := s.client("PA_ada", change).Allocate(); err == nil {
			t.Errorf("%s gets an allocation", what)
		}
	}
	if n := s.Allocations(); n != 0 {
		t.Errorf("there are %d allocations, want none", n)
	}
}

func TestCredentialsOfAnotherRealm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	username, _ := CredentialsOf([]byte(secret), "PA_ada", time.Now().Add(time.Hour))
	for realm, want := range map[string]bool{Realm: true, "": false, "example.com": false} {
		if _, _, ok := s.authenticate(&turn.RequestAttributes{Username: username, Realm: realm}); ok != want {
			t.Errorf("realm %q: %v, want %v", realm, ok, want)
		}
	}
}

// A removed person's device loses its allocation with the media server's silence,
// and then its connection, too.
func TestAConnectionEndsSoonAfterItsAllocation(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, 100*time.Millisecond)
	_, relay := s.allocate("PA_ada")
	s.reaches(relay, "hello")
	s.mu.Lock()
	for _, r := range s.relays {
		_ = r.UDPConn.Close()
	}
	s.mu.Unlock()
	s.eventually("the connection ends, and is not counted any more", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.streams) == 0 && len(s.waiting) == 0
	})
	if n := s.Allocations(); n != 0 {
		t.Errorf("there are %d allocations, want none", n)
	}
}

// Strangers send whatever they like. Their connections end, and those of others
// go on.
func TestNonsense(t *testing.T) {
	t.Parallel()
	s := newSiteWith(t, 200*time.Millisecond)
	_, relay := s.allocate("PA_ada")
	binding := stun.MustBuild(stun.TransactionID, stun.BindingRequest).Raw
	long := append([]byte{0, 1, 0xff, 0xec}, binding[4:]...) // its length as a 16-bit number is 0
	for what, said := range map[string][]byte{
		"nothing": nil, "half a head": binding[:3], "half a message": binding[:19], "HTTP": []byte("GET / HTTP/1.1\r\n\r\n"),
		"a length that overflows": long, "a channel that is none": {0x50, 0, 0, 0}, "a packet in no channel": {0x40, 0, 0, 4, 1, 2, 3, 4},
		"a long message": append([]byte{0, 1, 0x10, 0}, binding[4:]...), "another cookie": append([]byte{0, 1, 0, 0, 1, 2, 3, 4}, binding[8:]...),
		"many empty packets": make([]byte, 0, 4), "zeros": make([]byte, 1000), "a whole message": binding,
	} {
		conn, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write(said)
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("after %s the connection stays open", what)
		}
		_ = conn.Close()
	}
	s.reaches(relay, "still here")
}

func TestLengthsOfMessages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		head [4]byte
		want int // 0: no message
	}{
		{[4]byte{0, 1, 0, 0}, 20},
		{[4]byte{0, 3, 0, 8}, 28},
		{[4]byte{1, 1, 0, 3}, 0},
		{[4]byte{0, 1, 0xff, 0xec}, 0},
		{[4]byte{0, 1, 0xff, 0xff}, 0},
		{[4]byte{0x40, 0, 0, 0}, 4},
		{[4]byte{0x40, 0, 0, 1}, 8},
		{[4]byte{0x4f, 0xff, 0, 4}, 8},
		{[4]byte{0x40, 0, 0xff, 0xff}, 0},
		{[4]byte{0x50, 0, 0, 4}, 0},
		{[4]byte{'G', 'E', 'T', ' '}, 0},
		{[4]byte{0x16, 3, 1, 0}, 0},
		{[4]byte{0, 1, 0x06, 0x2c}, 1600},
		{[4]byte{0, 1, 0x06, 0x30}, 0},
	} {
		got, ok := lengthOf(c.head[:])
		if ok != (c.want != 0) || ok && got != c.want {
			t.Errorf("%x: %d, %v; want %d", c.head, got, ok, c.want)
		}
	}
}

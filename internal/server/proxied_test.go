package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/pires/go-proxyproto"

	"github.com/conclave-rooms/conclave/internal/config"
)

// passing is a service that answers each request with the address it comes from. It
// trusts the proxy at 127.0.0.1, and no other.
func passing(t *testing.T, speaks bool) *httptest.Server {
	t.Helper()
	s := &Server{config: config.Serve{ProxyProtocol: speaks, TrustedProxy: []string{"127.0.0.1/32"}}}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	web := &httptest.Server{
		Listener: patient{Listener: s.proxied(l), patience: patience},
		Config:   &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.RemoteAddr) })},
	}
	t.Cleanup(web.Close)
	return web
}

// ask connects from an address, says something first, and sends a request. It returns the
// answer's status and text; 0 when the connection ended without one.
func ask(t *testing.T, web *httptest.Server, from, first string) (status int, text string) {
	t.Helper()
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(from), 0))}
	conn, err := d.DialContext(t.Context(), "tcp4", web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, first+"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, ""
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// second is a header of version 2.
func second(t *testing.T, h proxyproto.Header) string {
	t.Helper()
	h.Version = 2
	b, err := h.Format()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestATrustedProxysHeaderNamesTheClient(t *testing.T) {
	t.Parallel()
	device, service := &net.TCPAddr{IP: net.ParseIP("2001:db8::7"), Port: 4711}, &net.TCPAddr{IP: net.ParseIP("2001:db8::1"), Port: 443}
	for _, test := range []struct {
		name, from, first string
		status            int
		comes             string // how the address begins that the service sees
	}{
		{"version 1", "127.0.0.1", "PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n", 200, "203.0.113.7:4711"},
		{"version 1 with IPv6", "127.0.0.1", "PROXY TCP6 2001:db8::7 2001:db8::1 4711 443\r\n", 200, "[2001:db8::7]:4711"},
		{"version 2", "127.0.0.1", second(t, proxyproto.Header{Command: proxyproto.PROXY, TransportProtocol: proxyproto.TCPv6, SourceAddr: device, DestinationAddr: service}), 200, "[2001:db8::7]:4711"},
		{"a check of the proxy's own, with a header", "127.0.0.1", second(t, proxyproto.Header{Command: proxyproto.LOCAL}), 200, "127.0.0.1:"},
		{"a check of the proxy's own, in version 1", "127.0.0.1", "PROXY UNKNOWN\r\n", 200, "127.0.0.1:"},
		{"a check of the proxy's own, without one", "127.0.0.1", "", 200, "127.0.0.1:"},
		{"a stranger without a header", "127.0.0.2", "", 200, "127.0.0.2:"},
		{"a stranger who claims an address", "127.0.0.2", "PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n", 400, "400"},
		{"half a header", "127.0.0.1", "PROXY TCP4 203.0.113.7\r\n", 0, ""},
		{"no address", "127.0.0.1", "PROXY TCP4 somebody 192.0.2.1 4711 443\r\n", 0, ""},
		{"a line without an end", "127.0.0.1", "PROXY TCP4 " + strings.Repeat("2", 500), 0, ""},
		{"a program on the proxy's machine", "127.0.0.1", second(t, proxyproto.Header{
			Command: proxyproto.PROXY, TransportProtocol: proxyproto.UnixStream,
			SourceAddr: &net.UnixAddr{Net: "unix", Name: "/a"}, DestinationAddr: &net.UnixAddr{Net: "unix", Name: "/b"},
		}), 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			web := passing(t, true)
			web.Start()
			status, text := ask(t, web, test.from, test.first)
			if status != test.status || !strings.HasPrefix(text, test.comes) {
				t.Errorf("the answer is %d %q", status, text)
			}
		})
	}
}

// A trusted proxy on another machine must begin each connection with a header.
// Otherwise a proxy that was set up wrongly could pass on the headers of strangers.
func TestARemoteTrustedProxyMustSendAHeader(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/24"), netip.MustParsePrefix("2001:db8::/64")}
	for peer, want := range map[string]proxyproto.Policy{
		"127.0.0.1:1":           proxyproto.USE,
		"[::ffff:127.0.0.1]:1":  proxyproto.USE,
		"[::1]:1":               proxyproto.SKIP,
		"10.0.0.4:1":            proxyproto.REQUIRE,
		"[::ffff:10.0.0.4]:1":   proxyproto.REQUIRE,
		"10.0.1.4:1":            proxyproto.SKIP,
		"[2001:db8::4%eth0]:1":  proxyproto.REQUIRE,
		"[2001:db8:0:1::4]:443": proxyproto.SKIP,
	} {
		if got := headerOf(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(peer)), trusted); got != want {
			t.Errorf("%s: %v, want %v", peer, got, want)
		}
	}
	if got := headerOf(&net.UnixAddr{Net: "unix", Name: "@"}, trusted); got != proxyproto.SKIP {
		t.Errorf("a program that asks at a socket of this machine: %v", got)
	}
}

// Without --proxy-protocol the service believes no header.
func TestWithoutProxyProtocolNoHeaderIsBelieved(t *testing.T) {
	t.Parallel()
	web := passing(t, false)
	web.Start()
	if status, text := ask(t, web, "127.0.0.1", "PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n"); status != http.StatusBadRequest {
		t.Errorf("the answer is %d %q", status, text)
	}
	if status, text := ask(t, web, "127.0.0.1", ""); status != http.StatusOK || !strings.HasPrefix(text, "127.0.0.1:") {
		t.Errorf("the answer is %d %q", status, text)
	}
}

// While one proxy sends no header, connections of others are accepted.
func TestASilentProxyDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	web := passing(t, true)
	web.Start()
	for range 20 {
		silent, err := net.Dial("tcp4", web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = silent.Close() })
		if _, err := fmt.Fprint(silent, "PROXY TCP4"); err != nil {
			t.Fatal(err)
		}
	}
	if status, text := ask(t, web, "127.0.0.1", "PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n"); status != http.StatusOK || text != "203.0.113.7:4711" {
		t.Errorf("the answer is %d %q", status, text)
	}
}

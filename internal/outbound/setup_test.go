package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/conclave-rooms/conclave/internal/cert/certtest"
)

// authority signs certificates that the test's clients trust.
type authority struct {
	tls.Certificate

	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	own := certtest.Issue(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(time.Hour),
	}, nil)
	return &authority{own, certtest.Trust(own)}
}

// certificate makes a certificate for a name that is valid until a time.
func (a *authority) certificate(t *testing.T, name string, until time.Time) tls.Certificate {
	t.Helper()
	return certtest.Issue(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: []string{name}, NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, &a.Certificate)
}

// serve starts a TLS server and returns its port.
func serve(t *testing.T, cert tls.Certificate, h http.HandlerFunc) string {
	t.Helper()
	web := httptest.NewUnstartedServer(h)
	web.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
	web.Config.ErrorLog = nil
	web.StartTLS()
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return port(web.Listener)
}

func port(l net.Listener) string {
	_, p, _ := net.SplitHostPort(l.Addr().String())
	return p
}

// names is a DNS server: each query for a name takes the next of its answers,
// and keeps the last one. A name without answers does not exist.
type names struct {
	mu      sync.Mutex
	answers map[string][]string
}

// resolver starts the server.
func (n *names) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		for buf := make([]byte, 1500); ; {
			size, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply := n.reply(buf[:size]); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (n *names) reply(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	name := q.Name.String()
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	ip, known := n.next(name[:len(name)-1], q.Type)
	switch {
	case !known:
		m.RCode = dnsmessage.RCodeNameError
	case ip.Is4() && q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type}, Body: &dnsmessage.AResource{A: ip.As4()}}}
	case ip.Is6() && q.Type == dnsmessage.TypeAAAA:
		m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type}, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}}}
	}
	reply, _ := m.Pack()
	return reply
}

// next returns the next address. A and AAAA are queried together; only A moves
// to the next one.
func (n *names) next(name string, kind dnsmessage.Type) (netip.Addr, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	left := n.answers[name]
	if len(left) == 0 {
		return netip.Addr{}, false
	}
	if kind == dnsmessage.TypeA && len(left) > 1 {
		n.answers[name] = left[1:]
	}
	return netip.MustParseAddr(left[0]), true
}

package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// reasonOf is the reason of an error, or "".
func reasonOf(err error) Reason {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Reason
	}
	return ""
}

// patient is longer than any request of these tests takes, on any machine.
const patient = time.Minute

// Receivers misbehave, each in its own way. None of them holds a request for
// longer than its time limit.
func TestReceiversThatMisbehave(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	good := a.certificate(t, "hooks.example.com", time.Now().Add(time.Hour))
	n := &names{answers: map[string][]string{"hooks.example.com": {"127.0.0.1"}, "other.example.com": {"127.0.0.1"}}}
	client := func(timeout time.Duration) *Client {
		return New(Config{AllowPrivate: true, RootCAs: a.pool, Resolver: n.resolver(t), Timeout: timeout})
	}
	// Only few of them use up the whole time. Those that never answer get a short one. The
	// one whose headers count and whose body does not needs enough time for its headers.
	patiently, shortly, usually := client(patient), client(time.Second), client(DefaultTimeout)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	raw := func(do func(net.Conn)) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			do(conn)
			_ = conn.Close()
		}
	}
	trickle := func(conn net.Conn, text string) {
		for {
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
			time.Sleep(10 * time.Millisecond) // it is slow on purpose; the client's time limit ends it
		}
	}
	for _, s := range []struct {
		name    string
		handler http.HandlerFunc
		client  *Client
		status  int
		reason  Reason
	}{
		{"a good server", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, patiently, 204, ""},
		{"a server that fails", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, patiently, 502, ""},
		{"a server that redirects", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }, patiently, 302, ""},
		{"a server that redirects to the metadata address", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusTemporaryRedirect)
		}, patiently, 307, ""},
		{"a server that never answers", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, shortly, 0, ReasonTimeout},
		{"a server that trickles its headers", raw(func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			trickle(conn, "X-Slow: 1\r\n")
		}), shortly, 0, ReasonTimeout},
		{"a server that trickles its body", raw(func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
			trickle(conn, "x")
		}), usually, 200, ""},
		{"a server that switches to another protocol and sends nothing more", raw(func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
			_, _ = io.Copy(io.Discard, conn) // until the other side closes the connection
		}), patiently, 101, ""},
		{"an answer without an end", func(w http.ResponseWriter, _ *http.Request) {
			for buf := make([]byte, 32<<10); ; {
				if _, err := w.Write(buf); err != nil {
					return
				}
			}
		}, patiently, 200, ""},
		{"an answer of a gigabyte", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1073741824")
			buf := make([]byte, 1<<20)
			for i := range 1024 {
				if _, err := w.Write(buf); err != nil {
					return
				}
				if i > 512 {
					t.Error("half a gigabyte was taken")
					return
				}
			}
		}, patiently, 200, ""},
		{"headers without an end", raw(func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
			for i := 0; ; i++ {
				if _, err := fmt.Fprintf(conn, "X-%d: %s\r\n", i, strings.Repeat("x", 4000)); err != nil {
					return
				}
			}
		}), patiently, 0, ReasonConnect},
		{"a server that resets the connection", raw(func(conn net.Conn) {
			if plain, ok := conn.(interface{ NetConn() net.Conn }); ok {
				_ = plain.NetConn().(*net.TCPConn).SetLinger(0)
				_ = plain.NetConn().Close()
			}
		}), patiently, 0, ReasonConnect},
		{"a server that hangs up", raw(func(net.Conn) {}), patiently, 0, ReasonConnect},
		{"a server that speaks another protocol", raw(func(conn net.Conn) { _, _ = io.WriteString(conn, "220 mail.example.com ESMTP\r\n") }), patiently, 0, ReasonConnect},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			p := serve(t, good, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				s.handler(w, r)
			})
			answer, err := s.client.Post(t.Context(), "https://hooks.example.com:"+p+"/hooks", nil, []byte("{}"))
			if answer.Status != s.status || reasonOf(err) != s.reason || (err == nil) != (s.status != 0) {
				t.Errorf("the answer is %d, %v; want %d, %q", answer.Status, err, s.status, s.reason)
			}
		})
	}
}

func TestConnectionsThatAreNotMade(t *testing.T) {
	t.Parallel()
	a, stranger := newAuthority(t), newAuthority(t)
	n := &names{answers: map[string][]string{"hooks.example.com": {"127.0.0.1"}, "other.example.com": {"127.0.0.1"}}}
	client := func(timeout time.Duration) *Client {
		return New(Config{AllowPrivate: true, RootCAs: a.pool, Resolver: n.resolver(t), Timeout: timeout})
	}
	patiently, shortly := client(patient), client(2*time.Second)
	ok := func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") }
	good := serve(t, a.certificate(t, "hooks.example.com", time.Now().Add(time.Hour)), ok)
	expired := serve(t, a.certificate(t, "hooks.example.com", time.Now().Add(-time.Hour)), ok)
	unknown := serve(t, stranger.certificate(t, "hooks.example.com", time.Now().Add(time.Hour)), ok)
	plain := httptest.NewServer(http.HandlerFunc(ok))
	t.Cleanup(plain.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	for name, s := range map[string]struct {
		client  *Client
		address string
		reason  Reason
	}{
		"a name without an address":         {patiently, "https://nobody.example.com/", ReasonDNS},
		"a port nobody listens on":          {patiently, "https://hooks.example.com:1", ReasonConnect},
		"a certificate that has expired":    {patiently, "https://hooks.example.com:" + expired, ReasonTLS},
		"a certificate of a stranger":       {patiently, "https://hooks.example.com:" + unknown, ReasonTLS},
		"a certificate for somebody else":   {patiently, "https://other.example.com:" + good, ReasonTLS},
		"no TLS":                            {patiently, "https://hooks.example.com:" + port(plain.Listener), ReasonTLS},
		"a server without a TLS handshake":  {shortly, "https://hooks.example.com:" + port(silent), ReasonTimeout},
		"an address that is not an address": {patiently, "https://hooks.example.com:port/", ReasonConnect},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if answer, err := s.client.Post(t.Context(), s.address, nil, nil); reasonOf(err) != s.reason || answer.Status != 0 {
				t.Errorf("%s: %d, %v; want %s", s.address, answer.Status, err, s.reason)
			}
		})
	}
}

// A receiver that accepts connections and says nothing does not collect them:
// each is closed with its request.
func TestConnectionsThatAreNeverReadyAreGivenUp(t *testing.T) {
	t.Parallel()
	tarpit, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tarpit.Close() })
	taken := make(chan net.Conn, 1)
	go func() {
		if conn, err := tarpit.Accept(); err == nil {
			taken <- conn
		}
	}()
	c := New(Config{AllowPrivate: true, Timeout: 100 * time.Millisecond})
	var conn net.Conn
	for conn == nil { // the time may end before there is a connection
		if _, err := c.Post(t.Context(), "https://"+tarpit.Addr().String(), nil, nil); reasonOf(err) != ReasonTimeout {
			t.Fatalf("the error is %v", err)
		}
		select {
		case conn = <-taken:
		default:
		}
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil {
		t.Errorf("the connection is still there: %v", err)
	}
}

// Every connection checks the resolved address: a name that was public when the
// endpoint was made cannot be used once it is private.
func TestPrivateAddressesAreNotConnectedTo(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	arrived := func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") }
	p := serve(t, a.certificate(t, "turns.example.com", time.Now().Add(time.Hour)), arrived)
	n := &names{answers: map[string][]string{
		"turns.example.com": {"93.184.215.14", "127.0.0.1"}, "local.example.com": {"127.0.0.1"}, "six.example.com": {"::1"},
		"metadata.example.com": {"169.254.169.254"}, "lan.example.com": {"10.1.2.3"}, "mapped.example.com": {"::ffff:127.0.0.1"}, "cgnat.example.com": {"100.64.0.1"},
		"nat64.example.com": {"64:ff9b::7f00:1"}, "unique.example.com": {"fd00::1"}, "any.example.com": {"0.0.0.0"},
	}}
	all := slices.Collect(maps.Keys(n.answers)) // the server changes the map
	c := New(Config{RootCAs: a.pool, Resolver: n.resolver(t)})
	if err := c.Check(t.Context(), "https://turns.example.com:"+p); err != nil {
		t.Fatalf("a public name is refused: %v", err)
	}
	for _, name := range all {
		if _, err := c.Post(t.Context(), "https://"+name+":"+p+"/", nil, nil); reasonOf(err) != ReasonBlocked {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.Check(t.Context(), "https://"+name); !errors.Is(err, ErrNotPublic) {
			t.Errorf("%s is accepted: %v", name, err)
		}
	}
	for _, address := range []string{"https://127.0.0.1:" + p, "https://[::1]:" + p, "http://169.254.169.254/", "http://[fe80::1%25lo]/"} {
		if _, err := c.Post(t.Context(), address, nil, nil); reasonOf(err) != ReasonBlocked {
			t.Errorf("%s: %v", address, err)
		}
	}
	// From a time when http was allowed.
	if _, err := c.Post(t.Context(), "http://turns.example.com/", nil, nil); !errors.Is(err, ErrNotHTTPS) || reasonOf(err) != ReasonBlocked {
		t.Errorf("http: %v", err)
	}
	transport, ok := c.http.Transport.(*http.Transport)
	if !ok || transport.Proxy != nil {
		t.Error("requests may go through a proxy of the environment")
	}
}

func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "thank you") }))
	t.Cleanup(web.Close)
	c := New(Config{AllowPrivate: true, RootCAs: a.pool, Timeout: patient})
	var kept atomic.Bool
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { kept.Store(info.Reused) }})
	post := func() {
		t.Helper()
		if answer, err := c.Post(ctx, web.URL, nil, []byte("{}")); err != nil || answer.Status != http.StatusOK {
			t.Fatalf("%d, %v", answer.Status, err)
		}
	}
	// On a busy machine a connection may be closed now and then: net/http keeps
	// one only when it learns within 50 milliseconds that everything was
	// written.
	for range 50 {
		post()
		if kept.Load() {
			break
		}
	}
	if !kept.Load() {
		t.Error("each of fifty requests took a new connection")
	}
	// The receiver restarts, so the next request takes a new connection.
	web.CloseClientConnections()
	post()
	if kept.Load() {
		t.Error("a connection that was closed was used again")
	}
	c.Close()
}

func TestAnEndedContextIsTheError(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(begun)
		<-r.Context().Done()
	}))
	t.Cleanup(web.Close)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := New(Config{AllowPrivate: true}).Post(ctx, web.URL, nil, []byte("{}")); !errors.Is(err, context.Canceled) || reasonOf(err) != "" {
		t.Errorf("the error is %v", err)
	}
}

// An address may hold a secret, and the error goes to the log.
func TestErrorsLeaveOutTheAddress(t *testing.T) {
	t.Parallel()
	c := New(Config{AllowPrivate: true, Timeout: time.Second})
	for _, address := range []string{"http://127.0.0.1:1/hooks?token=s3cret", "http://[::1]:port/s3cret", "https://127.0.0.1:1/s3cret", "ftp://127.0.0.1/s3cret"} {
		if _, err := c.Post(t.Context(), address, nil, nil); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "30": 30 * time.Second, "-5": 0, "soon": 0, "1.5": 0, "99999999999": mostSeconds * time.Second,
		"Fri, 20 Nov 2026 10:01:00 GMT": time.Minute, "Fri, 20 Nov 2026 09:00:00 GMT": 0,
	} {
		if got := (Answer{retryAfter: text}).RetryAfter(now); got != want {
			t.Errorf("Retry-After %q is %v, want %v", text, got, want)
		}
	}
}

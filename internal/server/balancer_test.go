package server_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/cert/certtest"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/logtest"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/server"
)

// haproxy is the balancer of deploy/compose/haproxy.cfg, in front of nodes that are called
// as there. Nobody runs the third one.
type haproxy struct {
	t            *testing.T
	https, plain string // its addresses
	where        config.Serve
	nodes        map[string]front
}

// front has the addresses at which a node can be reached.
type front struct {
	listener       net.Listener
	plain, metrics string
}

// newHAProxy starts it, until the end of the test, for nodes with one PostgreSQL and one
// Redis. database is a number of a Redis database that no other test uses.
func newHAProxy(t *testing.T, database string) *haproxy {
	t.Helper()
	host := redisHost(t)
	tell(t, host, "SELECT "+database, "FLUSHDB")
	b := &haproxy{t: t, https: freeAddress(t), plain: freeAddress(t), nodes: map[string]front{}}
	b.where.DatabaseURL, b.where.Data.Data = dbtest.Config(t, db.PostgreSQL).URL, t.TempDir()
	b.where.RedisURL = "redis://" + host + "/" + database
	lines := map[string]string{"bind :443": "bind " + b.https, "bind :80": "bind " + b.plain}
	for _, name := range []string{"node1", "node2", "node3"} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		node := front{listener, freeAddress(t), freeAddress(t)}
		if b.nodes[name] = node; name == "node3" {
			_ = listener.Close()
		}
		check := " check port " + strconv.Itoa(port(t, node.metrics))
		lines[name+":8443 check port 9090"] = listener.Addr().String() + check
		lines[name+":8080 check port 9090"] = node.plain + check
	}
	b.run(lines)
	return b
}

// run starts it. lines says which ends of lines in the file become which.
func (b *haproxy) run(lines map[string]string) {
	b.t.Helper()
	text, err := os.ReadFile("../../deploy/compose/haproxy.cfg")
	if err != nil {
		b.t.Fatal(err)
	}
	file := string(text)
	for from, to := range lines {
		if strings.Count(file, from+"\n") != 1 {
			b.t.Fatalf("haproxy.cfg has not one line that ends with %q", from)
		}
		file = strings.Replace(file, from+"\n", to+"\n", 1)
	}
	program, err := exec.LookPath("haproxy")
	if err != nil {
		program = "/usr/sbin/haproxy" // where the PATH of an ordinary user does not lead
	}
	path := filepath.Join(b.t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		b.t.Fatal(err)
	}
	said := &logtest.Book{}
	command := exec.CommandContext(b.t.Context(), program, "-db", "-f", path)
	command.Stdout, command.Stderr, command.SysProcAttr = said, said, &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		b.t.Fatalf("start haproxy, which `make test-deps` installs: %v", err)
	}
	b.t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if b.t.Failed() {
			b.t.Logf("haproxy says:\n%s", said)
		}
	})
}

// start starts a node with the settings that the file wants from it.
func (b *haproxy) start(name string, change func(*config.Serve)) *running {
	b.t.Helper()
	node := b.nodes[name]
	return startAs(b.t, server.Options{Listener: node.listener}, func(c *config.Serve) {
		c.PublicURL = "https://" + b.https
		c.DatabaseURL, c.Data.Data, c.RedisURL, c.NodeName = b.where.DatabaseURL, b.where.Data.Data, b.where.RedisURL, name
		c.TrustedProxy, c.ProxyProtocol = []string{"127.0.0.1/32"}, true
		c.HTTPListen, c.MetricsListen = node.plain, node.metrics
		change(c)
		if err := c.Check(); err != nil {
			b.t.Fatal(err)
		}
	})
}

// port is the port of an address.
func port(t *testing.T, address string) int {
	t.Helper()
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return int(at.Port())
}

// device is a client that connects to one address, whatever the name, and from another
// address of this machine. Each of its requests has a connection of its own.
func device(from, to string, trust *x509.CertPool) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trust},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, to)
		},
	}}
}

// status is what the service answers to a request, or 0 if nothing does.
func status(client *http.Client, address string) int {
	res, err := client.Get(address)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// Media passes the port of HTTPS through this balancer, and the service sees the addresses of
// devices. It works although the third node was never started.
func TestTheBalancerOfTheComposeFiles(t *testing.T) {
	t.Parallel()
	b := newHAProxy(t, "10")
	cert, key, trust := certify(t)
	settings := func(c *config.Serve) { c.TLSCert, c.TLSKey, c.RateLimits = cert, key, "failed_authentication=2/1m" }
	first, second := b.start("node1", settings), b.start("node2", settings)
	first.client, second.client = trusting(trust), trusting(trust)
	second.key = first.key
	waitUntil(t, "the balancer answers", func() bool { return status(first.client, first.url+"/readyz") == http.StatusOK })

	room := first.room(t, nil)
	first.token(t, room, "Eve", "host") // secrets that the logs must not have
	second.token(t, room, "Eve", "host")
	meetThroughRelays(t, first, room, mediaclient.OnlyTURNOverTLS, trust)

	for _, address := range []string{"127.0.0.8", "127.0.0.9"} {
		person := device(address, b.https, trust)
		for i, want := range []int{http.StatusUnauthorized, http.StatusUnauthorized, http.StatusTooManyRequests} {
			if got := status(person, first.url+"/api/v1/rooms"); got != want {
				t.Errorf("request %d from %s is answered with %d, want %d", i+1, address, got, want)
			}
		}
	}
}

// The nodes behind this balancer get one certificate together, whichever of them the
// certificate authority asks.
func TestNodesBehindABalancerGetACertificate(t *testing.T) {
	t.Parallel()
	const name = "meet.example.com"
	b := newHAProxy(t, "15")
	authority := certtest.Start(t, certtest.Options{TLSPort: port(t, b.https), HTTPPort: port(t, b.plain)})
	settings := func(c *config.Serve) {
		c.PublicURL = "https://" + net.JoinHostPort(name, strconv.Itoa(port(t, b.https)))
		c.DrainDelay = 3 * time.Second // the balancer asks every second
		c.ACMEDomains, c.ACMEDirectory, c.ACMECAFile = []string{name}, authority.Directory, authority.CAFile
	}
	first, second := b.start("node1", settings), b.start("node2", settings)
	second.key = first.key
	through := device("127.0.0.1", b.https, authority.Issued)
	// A node that did not order it reads it from the database, within ten seconds.
	for _, name := range []string{"node1", "node2"} {
		node := device("127.0.0.1", b.nodes[name].listener.Addr().String(), authority.Issued)
		waitUntil(t, name+" has a certificate", func() bool { return status(node, first.url+"/readyz") == http.StatusOK })
	}
	for _, node := range []*running{first, second} {
		node.client = through
		node.token(t, node.room(t, nil), "Ada", "participant") // secrets that the log must not have
	}
	if orders := authority.Orders(); orders != 1 {
		t.Errorf("the nodes made %d orders", orders)
	}
}

// waitUntil asks again and again until something is so.
func waitUntil(t *testing.T, what string, is func() bool) {
	t.Helper()
	again, limit := time.NewTicker(50*time.Millisecond), limited(t)
	defer again.Stop()
	for !is() {
		select {
		case <-again.C:
		case <-limit.Done():
			t.Fatalf("waited too long until %s", what)
		}
	}
}

package livekit_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/conclave-rooms/conclave/internal/cert/certtest"
	server "github.com/conclave-rooms/conclave/internal/media/livekit"
)

// redis is a Redis that one test may empty, stop and start again. It keeps
// nothing.
type redis struct {
	t       *testing.T
	address string
	process *exec.Cmd
	client  *goredis.Client
	secure  *authority // who vouches for it; nil: it is without TLS
}

func newRedis(t *testing.T) *redis {
	t.Helper()
	return newRedisOf(t, nil)
}

// newRedisOf starts one that speaks TLS, with a certificate of an authority.
func newRedisOf(t *testing.T, secure *authority) *redis {
	t.Helper()
	if os.Getenv("CONCLAVE_TEST_REDIS") == "" {
		t.Skip("CONCLAVE_TEST_REDIS is not set: this test runs with `make test`, beside which Redis is installed")
	}
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	check(t, err)
	check(t, free.Close())
	r := &redis{t: t, address: free.Addr().String(), secure: secure}
	options := &goredis.Options{Addr: r.address}
	if secure != nil {
		options.TLSConfig = &tls.Config{RootCAs: secure.pool(), MinVersion: tls.VersionTLS12}
	}
	r.client = goredis.NewClient(options)
	r.start()
	t.Cleanup(r.stop)
	return r
}

// start starts it and waits until it answers.
func (r *redis) start() {
	r.t.Helper()
	_, port, err := net.SplitHostPort(r.address)
	check(r.t, err)
	listen := []string{"--port", port}
	if r.secure != nil {
		listen = []string{"--port", "0"}
		for name, value := range r.secure.settings(r.t, port) {
			listen = append(listen, "--"+name, value)
		}
	}
	r.process = exec.Command("redis-server", append(listen, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", r.t.TempDir())...)
	check(r.t, r.process.Start())
	wait(r.t, 10*time.Second, "Redis answers", func() error { return r.client.Ping(r.t.Context()).Err() })
}

func (r *redis) stop() {
	_ = r.process.Process.Kill()
	_ = r.process.Wait()
}

// authority is a certificate authority of one test.
type authority struct{ tls.Certificate }

func newAuthority(t *testing.T) *authority {
	t.Helper()
	return &authority{certtest.Issue(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "An authority for tests"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil)}
}

func (a *authority) pool() *x509.CertPool { return certtest.Trust(a.Certificate) }

// settings are those with which a Redis or a sentinel only speaks TLS, also with others
// like it.
func (a *authority) settings(t *testing.T, port string) map[string]string {
	t.Helper()
	certificate, key := a.vouch(t)
	return map[string]string{
		"tls-port": port, "tls-cert-file": certificate, "tls-key-file": key, "tls-ca-cert-file": a.write(t, filepath.Join(t.TempDir(), "authority.pem")),
		"tls-auth-clients": "no", "tls-replication": "yes",
	}
}

// write writes the authority's certificate into a file, and returns its name.
func (a *authority) write(t *testing.T, file string) string {
	t.Helper()
	text, _ := certtest.PEM(t, a.Certificate)
	check(t, os.WriteFile(file, text, 0o600))
	return file
}

// vouch makes the files of a certificate for 127.0.0.1, and of its key.
func (a *authority) vouch(t *testing.T) (certificate, key string) {
	t.Helper()
	template := certtest.ThisMachine()
	template.SerialNumber, template.IsCA = big.NewInt(2), false
	return certtest.Files(t, certtest.Issue(t, template, &a.Certificate))
}

// Media servers trust an authority that is not known in public, because SSL_CERT_FILE
// names it, and no other one.
func TestRedisOverTLS(t *testing.T) {
	t.Parallel()
	trusted := newAuthority(t)
	trusted.write(t, os.Getenv(trustEnv))
	t.Run("two media servers are a cluster", func(t *testing.T) {
		t.Parallel()
		clusterOverTLS(t, trusted)
	})
	t.Run("a meeting survives a failover", func(t *testing.T) {
		t.Parallel()
		survivesFailover(t, trusted)
	})
}

func clusterOverTLS(t *testing.T, trusted *authority) {
	t.Helper()
	r := newRedisOf(t, trusted)
	var nodes []*own
	for range 2 {
		nodes = append(nodes, newOwn(t, func(c *server.EmbedConfig) { c.Redis.Address, c.Redis.TLS = r.address, true }))
	}
	meet(t, "r", map[string]*own{"ada": nodes[0], "bob": nodes[1]})
	for _, node := range nodes {
		wait(t, 10*time.Second, "it lists both", func() error { return listed(t.Context(), node, "r", "ada", "bob") })
	}
	wait(t, 10*time.Second, "both nodes have written their addresses", func() error {
		if n, err := r.client.HLen(t.Context(), "conclave_media_addresses").Result(); n != 2 || err != nil {
			return fmt.Errorf("there are %d, %w", n, err)
		}
		return nil
	})

	c := config()
	c.Redis.Address, c.Redis.TLS = newRedisOf(t, newAuthority(t)).address, true
	e, err := server.Embed(t.Context(), c)
	if err == nil {
		_ = e.Stop(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "certificate signed by unknown authority") {
		t.Errorf("with a Redis whose certificate nobody trusted vouches for: %v", err)
	}
}

package server_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/server"
)

// redisEnv names the environment variable with the address of a Redis for
// tests, which `make test` starts.
const redisEnv = "CONCLAVE_TEST_REDIS"

// redisHost is the address of that Redis.
func redisHost(t *testing.T) string {
	t.Helper()
	if os.Getenv(redisEnv) == "" {
		t.Skipf("%s is not set: `make test` starts a Redis and sets it", redisEnv)
	}
	u, err := url.Parse(os.Getenv(redisEnv))
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// inCluster opens a service whose embedded media server is one of a cluster.
func inCluster(t *testing.T, address string) (*server.Server, error) {
	t.Helper()
	return server.New(t.Context(), config.Serve{
		Data: config.Data{Data: t.TempDir(), PublicURL: "https://meet.example.com"}, RateLimits: "off", StopTimeout: time.Second,
		MediaNodeIP: "127.0.0.1", RedisURL: address,
	}, slog.New(slog.DiscardHandler), server.Options{})
}

// tell sends commands to a Redis and returns the last line of its answers.
func tell(t *testing.T, host string, commands ...string) string {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	answers, line := bufio.NewReader(conn), ""
	for _, c := range commands {
		if _, err = fmt.Fprint(conn, c+"\r\n"); err == nil {
			line, err = answers.ReadString('\n')
		}
		if err != nil || strings.HasPrefix(line, "-") {
			t.Fatalf("%s: %s %v", c, line, err)
		}
	}
	return strings.TrimSpace(line)
}

// The media server uses the user and the database in --redis-url.
func TestTheMediaServerUsesTheWholeRedisURL(t *testing.T) {
	t.Parallel()
	host := redisHost(t)
	tell(t, host, "ACL SETUSER conclave reset on >correct ~* &* +@all", "SELECT 9", "FLUSHDB")
	s, err := inCluster(t, "redis://conclave:correct@"+host+"/9")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if size := tell(t, host, "SELECT 9", "DBSIZE"); size == ":0" {
		t.Error("the media server wrote nothing into the database that --redis-url names")
	}
	for _, wrong := range []string{"redis://conclave:wrong@", "redis://nobody:correct@"} {
		if s, err := inCluster(t, wrong+host+"/9"); err == nil {
			s.Close()
			t.Errorf("the service starts with %s", wrong)
		}
	}
}

// With rediss:// the media server uses TLS.
func TestTheMediaServerSpeaksTLSToRedis(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 100)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		asked <- hello.ServerName
		return nil, errors.New("that is all this test wants to know")
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.(*tls.Conn).Handshake()
			_ = conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	if s, err := inCluster(t, "rediss://localhost:"+port); err == nil {
		s.Close()
		t.Error("the service starts without its Redis")
	}
	select {
	case name := <-asked:
		if name != "localhost" {
			t.Errorf("the service asks for the certificate of %q", name)
		}
	default:
		t.Error("the service did not ask for TLS")
	}
}

package doctor

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/mail/mailtest"
)

func TestRedis(t *testing.T) {
	t.Parallel()
	o := usual(db.Config{Dir: t.TempDir()})
	want(t, redisAnswers(t.Context(), o), Skipped, "one node")
	o.Config.RedisURL = "redis://:secret@127.0.0.1:1"
	want(t, redisAnswers(t.Context(), o), Failed, "does not answer")
	if o.Config.RedisURL = os.Getenv("CONCLAVE_TEST_REDIS"); o.Config.RedisURL == "" {
		t.Skip("CONCLAVE_TEST_REDIS is not set: `make test` starts a Redis and sets it")
	}
	advises(t, step(t, o, "redis"), Warning, "does not write to disk", "Set appendonly yes and maxmemory-policy noeviction") // as in tests

	own := startRedis(t)
	o.Config.RedisURL = "redis://" + own.Options().Addr
	want(t, redisAnswers(t.Context(), o), OK, "answers, and writes to disk")
	set := func(name, value string) {
		t.Helper()
		if err := own.ConfigSet(t.Context(), name, value).Err(); err != nil {
			t.Fatal(err)
		}
	}
	set("maxmemory-policy", "allkeys-lru") // without a limit, it drops nothing
	want(t, redisAnswers(t.Context(), o), OK, "answers, and writes to disk")
	set("maxmemory", "100mb")
	advises(t, step(t, o, "redis"), Warning, "may drop keys when memory is short (allkeys-lru)", "Set appendonly yes and maxmemory-policy noeviction")
	set("maxmemory-policy", "noeviction")
	want(t, redisAnswers(t.Context(), o), OK, "answers, and writes to disk")
}

// startRedis starts a Redis that writes to disk, until the end of the test.
func startRedis(t *testing.T) *redis.Client {
	t.Helper()
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = free.Close()
	_, port, _ := net.SplitHostPort(free.Addr().String())
	server := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--dir", t.TempDir())
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(&redis.Options{Addr: free.Addr().String()})
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for begin := time.Now(); ; <-look.C {
		if err = client.Ping(t.Context()).Err(); err == nil {
			return client
		}
		if time.Since(begin) > time.Minute {
			t.Fatalf("Redis does not answer: %v", err)
		}
	}
}

// The account and its password are tried at the mail server, and nothing is sent. What
// the check finds does not show the password.
func TestMailServer(t *testing.T) {
	t.Parallel()
	const secret = "correct-horse"
	for _, server := range []*mailtest.Server{{StartTLS: true, Password: secret}, {Implicit: true, Password: secret}} {
		server.Start(t)
		o := usual(db.Config{Dir: t.TempDir()})
		scheme := map[bool]string{true: "smtps", false: "smtp"}[server.Implicit]
		o.Config.MailFrom = "Conclave <meet@example.com>"
		o.Config.SMTPURL = scheme + "://ada:" + secret + "@" + server.Address
		want(t, mailServer(t.Context(), o), Failed, "certificate")
		o.Trust = server.Pool
		_ = server.Ended(t)
		want(t, mailServer(t.Context(), o), OK, "accepts the account")
		if c := server.Ended(t); !c.Secured || c.User != "\x00ada\x00"+secret || c.From != "" || c.To != "" || c.Data != "" {
			t.Errorf("the mail server was told %+v", c)
		}
		o.Config.SMTPURL = scheme + "://ada:wrong-horse@" + server.Address
		f := mailServer(t.Context(), o)
		advises(t, f, Failed, "535", "Check the address, the account and the password in --smtp-url")
		if strings.Contains(f.Found+f.Advice, "horse") {
			t.Errorf("the password is shown: %+v", f)
		}
	}
}

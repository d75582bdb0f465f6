package doctor

import (
	"bufio"
	"fmt"
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

// Redis 6, which Ubuntu 22.04 has, tells one section of INFO at a time, or all of them.
func TestAnOldRedisIsExamined(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			go beOldRedis(client)
		}
	}()
	o := usual(db.Config{Dir: t.TempDir()})
	o.Config.RedisURL = "redis://" + listener.Addr().String()
	want(t, redisAnswers(t.Context(), o), OK, "Redis 6.0.16 answers, and writes to disk")
}

// beOldRedis answers the commands of one client: arrays of texts, each after its length.
func beOldRedis(client net.Conn) {
	defer func() { _ = client.Close() }()
	const info = "# Server\r\nredis_version:6.0.16\r\n# Memory\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n# Persistence\r\naof_enabled:1\r\n"
	in := bufio.NewReader(client)
	for {
		var words int
		if _, err := fmt.Fscanf(in, "*%d\r\n", &words); err != nil {
			return
		}
		var command string
		for i := range words {
			var length int
			var word string
			if _, err := fmt.Fscanf(in, "$%d\r\n%s\r\n", &length, &word); err != nil {
				return
			}
			if i == 0 {
				command = strings.ToUpper(word)
			}
		}
		switch {
		case command != "INFO":
			_, _ = fmt.Fprint(client, "-ERR unknown command\r\n")
		case words > 2:
			_, _ = fmt.Fprint(client, "-ERR syntax error\r\n")
		default:
			_, _ = fmt.Fprintf(client, "$%d\r\n%s\r\n", len(info), info)
		}
	}
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

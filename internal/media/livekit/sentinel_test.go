package livekit_test

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	server "github.com/conclave-rooms/conclave/internal/media/livekit"
)

// follow starts a Redis that copies another one.
func (r *redis) follow() *redis {
	r.t.Helper()
	copies := newRedisOf(r.t, r.secure)
	host, port, err := net.SplitHostPort(r.address)
	check(r.t, err)
	check(r.t, copies.client.ReplicaOf(r.t.Context(), host, port).Err())
	return copies
}

// replicated waits until the copy has everything that was written so far: Redis
// copies afterwards, and begins the first copy only some seconds after it was asked.
func (r *redis) replicated() {
	r.t.Helper()
	same := r.client.Conn()
	defer func() { _ = same.Close() }()
	check(r.t, same.Set(r.t.Context(), "replicated", "1", 0).Err())
	copies, err := same.Wait(r.t.Context(), 1, 20*time.Second).Result()
	check(r.t, err)
	if copies != 1 {
		r.t.Fatalf("%d copies have everything after 20s, want 1", copies)
	}
}

// watch starts a sentinel that knows a Redis as the master of this name, and returns
// its address.
func (r *redis) watch(name string) string {
	r.t.Helper()
	free, err := (&net.ListenConfig{}).Listen(r.t.Context(), "tcp", "127.0.0.1:0")
	check(r.t, err)
	check(r.t, free.Close())
	_, own, err := net.SplitHostPort(free.Addr().String())
	check(r.t, err)
	host, port, err := net.SplitHostPort(r.address)
	check(r.t, err)
	dir := r.t.TempDir()
	file := filepath.Join(dir, "sentinel.conf")
	text := fmt.Sprintf("bind 127.0.0.1\ndir %s\nsentinel monitor %s %s %s 1\nsentinel down-after-milliseconds %s 1000\nsentinel failover-timeout %s 5000\n", dir, name, host, port, name, name)
	options := &goredis.Options{Addr: free.Addr().String()}
	if r.secure == nil {
		text += "port " + own + "\n"
	} else {
		text += "port 0\n"
		for name, value := range r.secure.settings(r.t, own) {
			text += name + " " + value + "\n"
		}
		options.TLSConfig = &tls.Config{RootCAs: r.secure.pool(), MinVersion: tls.VersionTLS12}
	}
	check(r.t, os.WriteFile(file, []byte(text), 0o600))
	sentinel := exec.Command("redis-server", file, "--sentinel")
	check(r.t, sentinel.Start())
	r.t.Cleanup(func() {
		_ = sentinel.Process.Kill()
		_ = sentinel.Wait()
	})
	client := goredis.NewSentinelClient(options)
	wait(r.t, 20*time.Second, "the sentinel knows the copy", func() error {
		copies, err := client.Replicas(r.t.Context(), name).Result()
		if err == nil && len(copies) != 1 {
			err = fmt.Errorf("the sentinel knows %d copies", len(copies))
		}
		return err
	})
	return free.Addr().String()
}

// The master of Redis is killed while people meet, and the sentinel makes the copy the
// master. They stay together, and others join them.
func TestAMeetingSurvivesAFailoverOfRedis(t *testing.T) {
	t.Parallel()
	survivesFailover(t, nil)
}

func survivesFailover(t *testing.T, secure *authority) {
	t.Helper()
	r := newRedisOf(t, secure)
	r.follow()
	sentinel := r.watch("conclave")
	var nodes []*own
	for range 2 {
		nodes = append(nodes, newOwn(t, func(c *server.EmbedConfig) {
			c.Redis.Address, c.Redis.Master, c.Redis.TLS = sentinel, "conclave", secure != nil
		}))
	}
	people := meet(t, "r", map[string]*own{"ada": nodes[0], "bob": nodes[1]})
	r.replicated()
	r.stop()
	took := wait(t, 30*time.Second, "somebody comes in", func() error {
		p, err := enter(t.Context(), nodes[1], "r", "cid")
		if err == nil {
			t.Cleanup(p.Disconnect)
			people["cid"] = p
		}
		return err
	})
	t.Logf("somebody came in %s after the master was killed", took.Round(time.Millisecond))
	wait(t, 10*time.Second, "all see each other", func() error { return together(people) })
	for _, node := range nodes {
		wait(t, 10*time.Second, "it lists all", func() error { return listed(t.Context(), node, "r", "ada", "bob", "cid") })
	}
}

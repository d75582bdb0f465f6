package livekit_test

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	server "github.com/conclave-rooms/conclave/internal/media/livekit"
)

// identityKey is the key in Redis.
const identityKey = "conclave_media_cluster"

// A Redis has one identity, whatever address leads to it, and another Redis has another.
func TestEachRedisHasAnIdentity(t *testing.T) {
	t.Parallel()
	r, other := newRedis(t), newRedis(t)
	_, port, err := net.SplitHostPort(r.address)
	check(t, err)
	ids := map[string]string{}
	for name, where := range map[string]server.Redis{
		"number": {Address: r.address}, "name": {Address: net.JoinHostPort("localhost", port)},
		"database": {Address: r.address, Database: 1}, "other": {Address: other.address},
	} {
		ids[name], err = where.Identity(t.Context(), 0)
		check(t, err)
	}
	if ids["number"] == "" || ids["name"] != ids["number"] || ids["database"] == ids["number"] || ids["other"] == ids["number"] {
		t.Errorf("the identities are %v", ids)
	}
}

// A node that starts with a Redis that came back empty waits for the old identity.
func TestANewNodeWaitsForTheOldIdentity(t *testing.T) {
	t.Parallel()
	r := newRedis(t)
	asked := make(chan string)
	go func() {
		id, err := server.Redis{Address: r.address}.Identity(t.Context(), time.Minute)
		if err != nil {
			id = err.Error()
		}
		asked <- id
	}()
	check(t, r.client.Set(t.Context(), identityKey, "old", 0).Err())
	if id := <-asked; id != "old" {
		t.Errorf("the identity is %q", id)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	check(t, r.client.FlushAll(t.Context()).Err())
	if id, err := (server.Redis{Address: r.address}).Identity(ctx, time.Minute); err == nil {
		t.Errorf("Identity did not wait, and made %q", id)
	}
}

// A node writes its identity back into a Redis that came back empty, and takes over one
// that another node was first to write. It does so again after its media server has ended.
func TestANodeKeepsTheIdentity(t *testing.T) {
	t.Parallel()
	r := newRedis(t)
	node := newOwn(t, func(c *server.EmbedConfig) { c.Redis.Address, c.ClusterIdentity = r.address, "old" })
	is := func(want string) func() error {
		return func() error {
			id, err := r.client.Get(t.Context(), identityKey).Result()
			if err != nil || id != want || node.ClusterIdentity() != want {
				return fmt.Errorf("Redis says %q, and the node %q: %w", id, node.ClusterIdentity(), err)
			}
			return nil
		}
	}
	wait(t, 10*time.Second, "the identity is written", is("old"))
	check(t, r.client.FlushAll(t.Context()).Err())
	wait(t, 10*time.Second, "the identity is written back", is("old"))
	check(t, r.client.Set(t.Context(), identityKey, "new", 0).Err())
	wait(t, 10*time.Second, "the new identity is taken over", is("new"))
	node.signal(t, syscall.SIGKILL)
	node.end(t)
	check(t, r.client.FlushAll(t.Context()).Err())
	wait(t, 30*time.Second, "the new identity is written back", is("new"))
}

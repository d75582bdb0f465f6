package main_test

import (
	"net"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A node is refused if it has another Redis than the running nodes, or a LiveKit of the
// operator's own: people of one room would meet in two places. The refusal names a node
// that runs. Another address of the same Redis is accepted, even after that Redis came
// back empty.
func TestANodeOfAnotherMediaClusterIsRefused(t *testing.T) {
	t.Parallel()
	r, other := newRedis(t), newRedis(t)
	where := dbtest.Config(t, db.PostgreSQL)
	first := start(t, "serve", where, "--redis-url=redis://"+r.address, "--node-name", "first")
	refused := func(flags ...string) {
		t.Helper()
		startFails(t, "serve", where, "the node first (at "+strings.TrimPrefix(first.url, "http://")+") serves the same data with another media cluster",
			append(flags, "--listen", "127.0.0.1:0", "--node-name", "second")...)
	}
	refused("--redis-url=redis://" + other.address)
	refused("--redis-url=redis://" + r.address + "/1")
	refused("--media-url=ws://127.0.0.1:9", "--media-api-key=key", "--media-api-secret=a secret of more than 32 characters")
	if nodes := listNodes(t, where); len(nodes) != 1 {
		t.Errorf("the nodes are %+v", nodes)
	}

	client := redis.NewClient(&redis.Options{Addr: r.address})
	defer func() { _ = client.Close() }()
	if err := client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(r.address)
	if err != nil {
		t.Fatal(err)
	}
	second := start(t, "serve", where, "--redis-url=redis://localhost:"+port, "--node-name", "second")
	if nodes := listNodes(t, where); len(nodes) != 2 || nodes[0].Cluster != nodes[1].Cluster || !strings.HasPrefix(nodes[0].Cluster, "redis:") {
		t.Errorf("the nodes are %+v", nodes)
	}
	first.stop()
	second.stop()
	start(t, "serve", where, "--redis-url=redis://"+other.address).stop()
}

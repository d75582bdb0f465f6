package livekit_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/livekit/livekit-server/pkg/routing/selector"
	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// alive says which node's entry LiveKit takes for that of a dead node.
func (r *redis) alive() error {
	entries, err := r.client.HGetAll(r.t.Context(), "nodes").Result()
	if err != nil {
		return fmt.Errorf("list the nodes: %w", err)
	}
	for id, text := range entries {
		n := &livekit.Node{}
		if err := proto.Unmarshal([]byte(text), n); err != nil {
			return fmt.Errorf("read node %s: %w", id, err)
		}
		if !selector.IsAvailable(n) {
			return fmt.Errorf("%s was there last at %s", id, time.Unix(n.Stats.UpdatedAt, 0))
		}
	}
	return nil
}

// loads are the entries of a cluster's nodes in Redis, with a load that a test chose.
type loads struct {
	r       *redis
	entries map[string][]byte
}

// load writes for each node that so many processes want each of its processors.
func (r *redis) load(loadOf map[string]float32) (*loads, error) {
	l := &loads{r: r, entries: map[string][]byte{}}
	for id, load := range loadOf {
		text, err := r.client.HGet(r.t.Context(), "nodes", id).Bytes()
		if err != nil {
			return nil, fmt.Errorf("read node %s: %w", id, err)
		}
		n := &livekit.Node{}
		if err := proto.Unmarshal(text, n); err != nil {
			return nil, fmt.Errorf("read node %s: %w", id, err)
		}
		n.Stats.UpdatedAt, n.Stats.NumCpus, n.Stats.LoadAvgLast1Min = time.Now().Unix(), 2, 2*load
		if l.entries[id], err = proto.Marshal(n); err != nil {
			return nil, fmt.Errorf("write node %s: %w", id, err)
		}
		if err := r.client.HSet(r.t.Context(), "nodes", id, l.entries[id]).Err(); err != nil {
			return nil, fmt.Errorf("write node %s: %w", id, err)
		}
	}
	return l, nil
}

// stand says whether Redis still has these entries. Nodes write their true load again
// and again.
func (l *loads) stand(ctx context.Context) bool {
	for id, entry := range l.entries {
		if now, err := l.r.client.HGet(ctx, "nodes", id).Bytes(); err != nil || !bytes.Equal(now, entry) {
			return false
		}
	}
	return true
}

// begin makes new rooms through a node while the nodes have these loads, and returns
// how many each node got.
func (r *redis) begin(through *own, rooms int, loadOf map[string]float32) map[string]int {
	r.t.Helper()
	got := map[string]int{}
	for made := 0; made < rooms; {
		l, err := r.load(loadOf)
		check(r.t, err)
		name := "room " + strconv.Itoa(int(r.client.Incr(r.t.Context(), "rooms of this test").Val()))
		if _, err := through.EnsureRoom(r.t.Context(), name); err != nil {
			r.t.Fatalf("a room is refused: %v", err)
		}
		id, err := r.client.HGet(r.t.Context(), "room_node_map", name).Result()
		check(r.t, err)
		if l.stand(r.t.Context()) {
			made++
			got[id]++
		}
	}
	return got
}

// New rooms go to the nodes that are not busy. When all are busy, they go to any.
func TestNewRoomsAvoidABusyNode(t *testing.T) {
	t.Parallel()
	r, nodes := newCluster(t, nil)
	var ids []string
	wait(t, 10*time.Second, "both nodes are registered", func() error {
		if ids = r.client.HKeys(t.Context(), "nodes").Val(); len(ids) != 2 {
			return fmt.Errorf("there are %v", ids)
		}
		return nil
	})
	slices.Sort(ids)
	const rooms = 20 // by chance, all go to one node once in a million times
	for i, id := range ids {
		quiet := ids[1-i]
		for _, through := range nodes {
			if got := r.begin(through, rooms, map[string]float32{id: 0.8, quiet: 0.6}); got[quiet] != rooms {
				t.Errorf("with %s busy, the nodes got %v new rooms", id, got)
			}
		}
	}
	for what, load := range map[string]float32{"busy": 5, "idle": 0} {
		if got := r.begin(nodes[0], 2*rooms, map[string]float32{ids[0]: load, ids[1]: load}); len(got) != 2 {
			t.Errorf("with both %s, the nodes got %v new rooms", what, got)
		}
	}
}

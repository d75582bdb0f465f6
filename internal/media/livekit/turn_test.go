package livekit_test

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	server "github.com/conclave-rooms/conclave/internal/media/livekit"
)

// Each node's TURN server reaches the media servers of all nodes, also after Redis
// has lost everything, and none that has left.
func TestEveryNodeKnowsTheMediaAddressesOfAll(t *testing.T) {
	t.Parallel()
	r, nodes := newCluster(t, nil)
	var mu sync.Mutex
	known := map[*own][]netip.AddrPort{}
	var want []netip.AddrPort
	for _, node := range nodes {
		node.SetHooks(server.Hooks{Nodes: func(addresses []netip.AddrPort) {
			mu.Lock()
			defer mu.Unlock()
			known[node] = addresses
		}})
		public, local := node.Address()
		if public != local {
			t.Errorf("media for %s is received at %s, want the same address on a machine that has it", public, local)
		}
		want = append(want, public)
	}
	know := func(want []netip.AddrPort, nodes ...*own) error {
		mu.Lock()
		defer mu.Unlock()
		slices.SortFunc(want, netip.AddrPort.Compare)
		for i, node := range nodes {
			if !slices.Equal(known[node], want) {
				return fmt.Errorf("node %d knows %v, want %v", i, known[node], want)
			}
		}
		return nil
	}
	wait(t, 10*time.Second, "both nodes know both addresses", func() error { return know(want, nodes...) })
	check(t, r.client.FlushAll(t.Context()).Err())
	wait(t, 10*time.Second, "Redis has both addresses again", func() error {
		if n := r.client.HLen(t.Context(), "conclave_media_addresses").Val(); n != 2 {
			return fmt.Errorf("Redis has %d addresses", n)
		}
		return know(want, nodes...)
	})
	left, _ := nodes[0].Address()
	check(t, nodes[1].Stop(t.Context()))
	wait(t, 15*time.Second, "the first node forgets the second", func() error { return know([]netip.AddrPort{left}, nodes[0]) })
}

package livekit_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"

	"github.com/conclave-rooms/conclave/internal/db/roadtest"
	"github.com/conclave-rooms/conclave/internal/media"
	server "github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// wait waits until a condition holds.
func wait(t *testing.T, limit time.Duration, what string, holds func() error) time.Duration {
	t.Helper()
	begin := time.Now()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		err := holds()
		if err == nil {
			return time.Since(begin)
		}
		if time.Since(begin) > limit {
			t.Fatalf("not true after %s: %s: %v", limit, what, err)
		}
		<-look.C
	}
}

// newCluster starts two media servers of one cluster.
func newCluster(t *testing.T, change func(*server.EmbedConfig)) (*redis, []*own) {
	t.Helper()
	r := newRedis(t)
	var nodes []*own
	for range 2 {
		nodes = append(nodes, newOwn(t, func(c *server.EmbedConfig) {
			c.Redis.Address = r.address
			if change != nil {
				change(c)
			}
		}))
	}
	return r, nodes
}

// enter connects a person through a node.
func enter(ctx context.Context, node *own, room, identity string) (*mediaclient.Participant, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	token, err := node.UpstreamToken(ctx, (&place{room: room}).grant(identity))
	if err != nil {
		return nil, err
	}
	return mediaclient.Connect(ctx, mediaclient.Options{URL: node.Upstream(), Token: token, Passphrase: "a passphrase"})
}

// meet connects people and waits until they see each other.
func meet(t *testing.T, room string, people map[string]*own) map[string]*mediaclient.Participant {
	t.Helper()
	here := enterAll(t, room, people)
	wait(t, 10*time.Second, "all see each other", func() error { return together(here) })
	return here
}

// enterAll connects people, who stay until the end of the test.
func enterAll(t *testing.T, room string, people map[string]*own) map[string]*mediaclient.Participant {
	t.Helper()
	here := map[string]*mediaclient.Participant{}
	for identity, node := range people {
		wait(t, 10*time.Second, identity+" is in", func() error {
			p, err := enter(t.Context(), node, room, identity)
			if err == nil {
				here[identity] = p
				t.Cleanup(p.Disconnect)
			}
			return err
		})
	}
	return here
}

// together says what keeps people from seeing each other.
func together(people map[string]*mediaclient.Participant) error {
	for identity, p := range people {
		select {
		case <-p.Gone():
			return fmt.Errorf("%s is gone: %s", identity, p.GoneReason())
		default:
		}
		if others := p.Others(); len(others) != len(people)-1 {
			return fmt.Errorf("%s sees %v", identity, others)
		}
	}
	return nil
}

// listed says whether a node lists exactly these people.
func listed(ctx context.Context, node *own, room string, want ...string) error {
	people, err := node.Participants(ctx, room)
	if err != nil {
		return err
	}
	var got []string
	for _, p := range people {
		got = append(got, p.Identity)
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		return fmt.Errorf("it lists %v", got)
	}
	return nil
}

func generation(t *testing.T, node *own, room string) string {
	t.Helper()
	rooms, err := node.Rooms(t.Context(), room)
	if err != nil || len(rooms) != 1 {
		return ""
	}
	return rooms[0].Generation
}

// Redis loses everything while people meet. They stay together, the cluster
// finds their room again, and others join them through any node.
func TestAMeetingSurvivesAnEmptyRedis(t *testing.T) {
	t.Parallel()
	r, nodes := newCluster(t, nil)
	people := meet(t, "r", map[string]*own{"ada": nodes[0], "bob": nodes[1]})
	before := generation(t, nodes[0], "r")

	check(t, r.client.FlushAll(t.Context()).Err())
	took := wait(t, 5*time.Second, "the cluster finds the room again", func() error {
		if got := generation(t, nodes[1], "r"); got != before {
			return fmt.Errorf("the room is %q, and was %q", got, before)
		}
		for _, node := range nodes {
			if err := listed(t.Context(), node, "r", "ada", "bob"); err != nil {
				return err
			}
		}
		return nil
	})
	t.Logf("after %s", took)
	wait(t, 5*time.Second, "both nodes are registered", func() error {
		if n := r.client.HLen(t.Context(), "nodes").Val(); n != 2 {
			return fmt.Errorf("there are %d", n)
		}
		return nil
	})
	for i, node := range nodes {
		identity := "late " + strconv.Itoa(i)
		people[identity] = enterAll(t, "r", map[string]*own{identity: node})[identity]
	}
	wait(t, 5*time.Second, "all see each other", func() error { return together(people) })
	// The cluster also finds each person again: they can be removed.
	check(t, nodes[1].Remove(t.Context(), "r", "ada", ""))
}

// outageEnv is a variable for a longer outage of Redis. Those of every run are
// long enough for a media server to count as hung, but LiveKit's own patience
// with signalling is up to 17 s: try 60s after a change of either.
const outageEnv = "CONCLAVE_TEST_REDIS_OUTAGE"

// Redis is away for a while, and comes back empty. Everybody hears the others
// all the time, nobody has to connect again, and once Redis is back others come
// in.
func TestAMeetingGoesOnWithoutRedis(t *testing.T) {
	t.Parallel()
	outage := 6 * time.Second
	if text := os.Getenv(outageEnv); text != "" {
		var err error
		outage, err = time.ParseDuration(text)
		check(t, err)
	}
	r, nodes := newCluster(t, func(c *server.EmbedConfig) { c.AskEvery = 500 * time.Millisecond })
	people := meet(t, "r", map[string]*own{"ada": nodes[0], "bob": nodes[1]})
	before := generation(t, nodes[0], "r")
	ctx, cancel := context.WithTimeout(t.Context(), outage+30*time.Second)
	defer cancel()
	_, err := people["ada"].Publish(ctx, media.Microphone)
	check(t, err)
	check(t, people["bob"].WaitFrames(ctx, "ada", media.Microphone, 10))

	r.stop()
	const frame = 20 * time.Millisecond
	check(t, people["bob"].WaitFrames(ctx, "ada", media.Microphone, int(outage/frame)))
	check(t, together(people))
	r.start()
	// People who come in at once do not get a second room, whichever node they come through.
	maps.Copy(people, enterAll(t, "r", map[string]*own{"carol": nodes[0], "dave": nodes[1]}))
	took := wait(t, 3*time.Second, "the cluster finds the room again", func() error {
		if got := generation(t, nodes[1], "r"); got != before {
			return fmt.Errorf("the room is %q, and was %q", got, before)
		}
		return listed(t.Context(), nodes[0], "r", "ada", "bob", "carol", "dave")
	})
	t.Logf("after %s", took)
	wait(t, 5*time.Second, "all see each other", func() error { return together(people) })
	for i, node := range nodes {
		if len(node.ended) > 0 {
			t.Errorf("the media server of node %d ended: %+v", i, <-node.ended)
		}
	}
}

// The network to Redis lets nothing through and ends no connection, as when a firewall
// forgets them. Everybody hears the others all the time, and once new connections reach
// Redis, others come in through every node.
func TestAMeetingGoesOnWithoutANetworkToRedis(t *testing.T) {
	t.Parallel()
	r := newRedis(t)
	road := roadtest.New(t, r.address)
	var nodes []*own
	for range 2 {
		nodes = append(nodes, newOwn(t, func(c *server.EmbedConfig) { c.Redis.Address, c.AskEvery = road.Address, 500*time.Millisecond }))
	}
	people := meet(t, "r", map[string]*own{"ada": nodes[0], "bob": nodes[1]})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := people["ada"].Publish(ctx, media.Microphone)
	check(t, err)
	check(t, people["bob"].WaitFrames(ctx, "ada", media.Microphone, 10))

	road.Close()
	check(t, people["bob"].WaitFrames(ctx, "ada", media.Microphone, 300)) // six seconds
	check(t, together(people))
	road.Reopen()
	begin := time.Now()
	// As long as a node's entry is old, it counts as dead.
	wait(t, 10*time.Second, "both nodes are known to be alive", r.alive)
	for i, node := range nodes {
		identity := "late " + strconv.Itoa(i)
		wait(t, time.Minute, identity+" is in", func() error {
			p, err := enter(t.Context(), node, "r", identity)
			if err == nil {
				people[identity] = p
				t.Cleanup(p.Disconnect)
			}
			return err
		})
	}
	wait(t, 10*time.Second, "all see each other", func() error { return together(people) })
	t.Logf("all are together %s after new connections reach Redis", time.Since(begin).Round(100*time.Millisecond))
	for i, node := range nodes {
		wait(t, 10*time.Second, "it lists all", func() error { return listed(t.Context(), node, "r", "ada", "bob", "late 0", "late 1") })
		if len(node.ended) > 0 {
			t.Errorf("the media server of node %d ended: %+v", i, <-node.ended)
		}
	}
}

// A second room of the same name was made on another node, because Redis had
// lost the first. The people of both come together in one.
func TestTwoRoomsOfOneNameBecomeOne(t *testing.T) {
	t.Parallel()
	r, nodes := newCluster(t, nil)
	people := meet(t, "r", map[string]*own{"ada": nodes[0], "bob": nodes[1]})
	holds, err := r.client.HGet(t.Context(), "room_node_map", "r").Result()
	check(t, err)
	both, err := r.client.HKeys(t.Context(), "nodes").Result()
	check(t, err)
	for _, other := range both {
		if other != holds {
			check(t, r.client.HSet(t.Context(), "room_node_map", "r", other).Err())
		}
	}
	check(t, r.client.HDel(t.Context(), "rooms", "r").Err())
	begin := time.Now()
	people["carol"] = enterAll(t, "r", map[string]*own{"carol": nodes[0]})["carol"]
	wait(t, 10*time.Second, "all are together", func() error {
		for identity, p := range people {
			select {
			case <-p.Gone(): // as devices do, it connects again
				again, err := enter(t.Context(), nodes[0], "r", identity)
				if err != nil {
					return err
				}
				t.Cleanup(again.Disconnect)
				people[identity] = again
			default:
			}
		}
		return together(people)
	})
	t.Logf("together after %s", time.Since(begin))
	wait(t, 10*time.Second, "every node lists all", func() error {
		for _, node := range nodes {
			if err := listed(t.Context(), node, "r", "ada", "bob", "carol"); err != nil {
				return err
			}
		}
		return nil
	})
	people["carol"].Disconnect()
	counted(t, nodes, 2)
	people["ada"].Disconnect()
	people["bob"].Disconnect()
	counted(t, nodes, 0) // a node that drains waits for this
}

// counted waits until the nodes count so many people together.
func counted(t *testing.T, nodes []*own, want int) {
	t.Helper()
	wait(t, 10*time.Second, "the nodes count all who are there", func() error {
		n := 0
		for _, node := range nodes {
			n += node.People(t.Context())
		}
		if n != want {
			return fmt.Errorf("they count %d, want %d", n, want)
		}
		return nil
	})
}

// A node had a clock that was an hour ahead, and was killed. People can come into its
// room as soon as those of any other node that is gone. A node that is ahead and alive
// stays known.
func TestANodeThatEndedWithAClockThatWasAheadIsForgotten(t *testing.T) {
	t.Parallel()
	r, nodes := newCluster(t, nil)
	write := func(id string) {
		t.Helper()
		// It takes no rooms, as there is no such node.
		entry, err := proto.Marshal(&livekit.Node{Id: id, Ip: "127.0.0.1", State: livekit.NodeState_SHUTTING_DOWN, Stats: &livekit.NodeStats{UpdatedAt: time.Now().Add(time.Hour).Unix()}})
		check(t, err)
		check(t, r.client.HSet(t.Context(), "nodes", id, entry).Err())
	}
	write("ND_alive")
	write("ND_dead")
	check(t, r.client.HSet(t.Context(), "room_node_map", "weekly", "ND_dead").Err())
	took := wait(t, 20*time.Second, "the node is forgotten", func() error {
		write("ND_alive")
		if known, err := r.client.HExists(t.Context(), "nodes", "ND_dead").Result(); known || err != nil {
			return fmt.Errorf("its entry is there: %v, %w", known, err)
		}
		return nil
	})
	t.Logf("forgotten after %s", took.Round(100*time.Millisecond))
	wait(t, 10*time.Second, "somebody is in", func() error {
		p, err := enter(t.Context(), nodes[0], "weekly", "ada")
		if err == nil {
			t.Cleanup(p.Disconnect)
		}
		return err
	})
	known, err := r.client.HKeys(t.Context(), "nodes").Result()
	check(t, err)
	if !slices.Contains(known, "ND_alive") || slices.Contains(known, "ND_dead") || len(known) != 3 {
		t.Errorf("Redis knows the nodes %v", known)
	}
}

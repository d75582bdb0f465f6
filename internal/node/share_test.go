package node

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// sharing makes nodes that live, and the share of each.
func sharing(now time.Time, names ...string) (nodes []Node) {
	for _, name := range names {
		nodes = append(nodes, Node{Name: name, run: "run of " + name, SeenAt: now, mediaReady: true, comparing: true})
	}
	return nodes
}

// owners returns, for each of 1,000 keys, the nodes that take it in every round.
func owners(nodes []Node, now time.Time) map[string][]string {
	all := map[string][]string{}
	for i := range 1000 {
		key := strconv.Itoa(i)
		for _, n := range nodes {
			s, taken := shareOf(nodes, n, now), 0
			for round := range 4 * seldom {
				if s.takes(key, round, s.at) {
					taken++
				}
			}
			if taken == 4*seldom {
				all[key] = append(all[key], n.Name)
			}
		}
	}
	return all
}

// Each key has one node that takes it in every round, and no node has most of them.
func TestNodesDivideTheWork(t *testing.T) {
	t.Parallel()
	now := time.Now()
	count := map[string]int{}
	for key, names := range owners(sharing(now, "a", "b", "c"), now) {
		if len(names) != 1 {
			t.Fatalf("the key %s is taken by %v", key, names)
		}
		count[names[0]]++
	}
	for name, n := range count {
		if n < 250 || n > 420 { // a third is 333; six standard deviations are 89
			t.Errorf("the node %s has %d of 1,000 keys", name, n)
		}
	}
}

// When a node is lost, the others take over its keys and keep their own.
func TestTheOthersTakeOverTheShareOfALostNode(t *testing.T) {
	t.Parallel()
	now := time.Now()
	nodes := sharing(now, "a", "b", "c")
	before := owners(nodes, now)
	for name, lost := range map[string]func(*Node){
		"the node's row is old":             func(n *Node) { n.SeenAt = now.Add(-sharesFor - time.Millisecond) },
		"the node stops":                    func(n *Node) { n.stopping = true },
		"the node's media server is silent": func(n *Node) { n.mediaReady = false },
		"the node's rounds stand still":     func(n *Node) { n.comparing = false },
	} {
		list := append([]Node{}, nodes...)
		lost(&list[2])
		after := owners(list[:2:2], now)
		for _, n := range list[:2] {
			s := shareOf(list, n, now)
			for key, owner := range after {
				if (owner[0] == n.Name) != s.takesAlways(key) {
					t.Fatalf("%s: the key %s of %v", name, key, owner)
				}
				if was := before[key][0]; was != "c" && was != owner[0] {
					t.Fatalf("%s: the key %s moved from %s to %s", name, key, was, owner[0])
				}
			}
		}
		// A node whose row does not count cannot know what the others do, so it takes
		// everything. Otherwise the others do the work.
		if s, all := shareOf(list, list[2], now), strings.HasPrefix(name, "the node's row"); s.takesAlways("any") != all {
			t.Errorf("%s: it takes all: %v, want %v", name, !all, all)
		}
	}
}

// takesAlways says whether a key is the node's own.
func (s share) takesAlways(key string) bool {
	for round := range 4 * seldom {
		if !s.takes(key, round, s.at) {
			return false
		}
	}
	return true
}

// A node whose row has not reached its limit keeps its share.
func TestANodeKeepsItsShareUntilItsRowIsOld(t *testing.T) {
	t.Parallel()
	now := time.Now()
	nodes := sharing(now, "a", "b")
	nodes[1].SeenAt = now.Add(-sharesFor)
	if got := shareOf(nodes, nodes[0], now); len(got.nodes) != 2 {
		t.Errorf("the work is divided among %v", got.nodes)
	}
}

// A node whose list is old takes everything, and so does each of several nodes of which
// none could do the work.
func TestANodeTakesEverythingWhenItCannotLeaveIt(t *testing.T) {
	t.Parallel()
	now := time.Now()
	nodes := sharing(now, "a", "b")
	for _, n := range nodes {
		s := shareOf(nodes, n, now)
		if own := s.takes("any", 0, now.Add(sharesFor)) && s.takes("any", 1, now.Add(sharesFor)); own != s.takesAlways("any") {
			t.Errorf("%s: its share changed before its list was old", n.Name)
		}
		if !s.takes("any", 0, now.Add(sharesFor+time.Millisecond)) || !s.takes("any", 1, now.Add(sharesFor+time.Millisecond)) {
			t.Errorf("%s leaves work to others by a list that is old", n.Name)
		}
	}
	for i := range nodes {
		nodes[i].mediaReady = false
	}
	for _, n := range nodes {
		if !shareOf(nodes, n, now).takesAlways("any") {
			t.Errorf("%s leaves work to nodes that cannot do it", n.Name)
		}
	}
}

// A node also takes each key of the others now and then, and all nodes together do only
// little more work.
func TestEveryNodeLooksAtTheKeysOfOthersNowAndThen(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, count := range []int{2, 3, 40} {
		var names []string
		for i := range count {
			names = append(names, "node-"+strconv.Itoa(i))
		}
		nodes := sharing(now, names...)
		rounds, did := max(seldom, seldomForEach*count), 0
		for i := range 20 {
			for _, n := range nodes {
				s, taken := shareOf(nodes, n, now), 0
				for round := range rounds {
					if s.takes(strconv.Itoa(i), round, now) {
						taken++
					}
				}
				if taken != 1 && taken != rounds {
					t.Fatalf("%d nodes: %s takes a key in %d of %d rounds", count, n.Name, taken, rounds)
				}
				did += taken
			}
		}
		if most := 20 * rounds * 5 / 4; did > most {
			t.Errorf("%d nodes: they do the work of 20 keys %d times in %d rounds, want at most %d", count, did, rounds, most)
		}
	}
}

// A process that another one of the same name has replaced takes everything: no node
// leaves work to it, and it leaves work to none.
func TestANodeThatWasReplacedTakesEverything(t *testing.T) {
	t.Parallel()
	now := time.Now()
	nodes := sharing(now, "a", "b")
	replaced := nodes[0]
	replaced.run = "an earlier run"
	if !shareOf(nodes, replaced, now).takesAlways("any") {
		t.Error("the replaced node leaves work to the others")
	}
}

// A node says in the list that its rounds stand still, and that they go on again.
func TestTheOthersTakeOverWhileANodeComparesNothing(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := &nodeList{t: t, d: dbtest.Open(t, where), now: time.Now()}
		one, two := s.starts("one", "1"), s.starts("two", "2")
		key := keyOf(t, "one", "two")
		takes := func(when string, want *Keeper) {
			t.Helper()
			s.now = s.now.Add(readEvery)
			s.keep(one)
			s.keep(two)
			for _, k := range []*Keeper{one, two} {
				if got := k.share.Load().takesAlways(key); got != (k == want) {
					t.Errorf("%s %s takes the key: %v", when, k.Self.Name, got)
				}
			}
		}
		takes("while both compare,", one)
		one.Comparing = func() bool { return false }
		s.keep(one)
		takes("while one compares nothing,", two)
		one.Comparing = func() bool { return true }
		s.keep(one)
		takes("when it compares again,", one)
	})
}

// keyOf finds a key that belongs to the first of two nodes.
func keyOf(t *testing.T, name, other string) string {
	t.Helper()
	for i := range 1000 {
		if key := strconv.Itoa(i); weight(name, key) > weight(other, key) {
			return key
		}
	}
	t.Fatalf("no key belongs to %s", name)
	return ""
}

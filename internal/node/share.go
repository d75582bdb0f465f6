package node

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"
)

// Some work is done again and again for everything that there is, and any node can do
// it. The nodes that live divide it among themselves: of each key, one node takes every
// round. Nodes whose lists differ for a moment may both take a key, or neither.
const (
	// sharesFor is the age of a row at which its node no longer gets a share. It
	// has missed one renewal by then. Work that it neglects waits for lostAfter at
	// most.
	sharesFor = 2 * renewEvery
	// A node also takes the keys of other nodes, in case one of them neglects its
	// share and does not say so: once in seldom rounds, or in seldomForEach rounds for each
	// node, if those are more. So all nodes together do a quarter more work at most.
	seldom        = 15
	seldomForEach = 4
)

// share is this node's part of the work.
type share struct {
	self  string
	nodes []string // that divide the work; none: this node takes everything
	at    time.Time
}

// shareOf divides the work among the nodes of a list. A node that is not listed, or
// whose row is old, cannot know what others do, and takes everything. One that stops, or
// whose media server does not answer or whose rounds stand still, leaves everything to
// others, if there are any.
func shareOf(nodes []Node, self Node, now time.Time) share {
	s := share{self: self.Name, at: now}
	for _, n := range nodes {
		if now.Sub(n.SeenAt).Abs() > sharesFor {
			continue
		}
		if !n.stopping && n.mediaReady && n.comparing {
			s.nodes = append(s.nodes, n.Name)
		}
	}
	if !slices.ContainsFunc(nodes, func(n Node) bool {
		return n.Name == self.Name && n.run == self.run && now.Sub(n.SeenAt).Abs() <= sharesFor
	}) {
		s.nodes = nil
	}
	return s
}

// takes says whether this node does the work of a key in a round. A share that could not
// be renewed counts no longer.
func (s share) takes(key string, round int, now time.Time) bool {
	switch {
	case len(s.nodes) == 0 || now.Sub(s.at).Abs() > sharesFor:
		return true
	case !slices.Contains(s.nodes, s.self):
		return false
	}
	own := weight(s.self, key)
	if !slices.ContainsFunc(s.nodes, func(name string) bool { return name != s.self && weight(name, key) > own }) {
		return true
	}
	every := max(seldom, seldomForEach*len(s.nodes))
	return own%uint64(every) == uint64(round)%uint64(every)
}

// weight is how strongly a key belongs to a node: it is the work of the node with the
// highest weight (rendezvous hashing), so a node that comes or goes changes only its own
// share.
func weight(name, key string) uint64 {
	sum := sha256.Sum256([]byte(name + "\x00" + key))
	return binary.BigEndian.Uint64(sum[:])
}

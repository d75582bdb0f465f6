package node

import (
	"slices"
	"strings"
	"time"
)

// Node is a process that serves the data.
type Node struct {
	Name        string    `json:"name"`
	State       State     `json:"state"`
	Version     string    `json:"version"`
	Listen      string    `json:"listen"`      // where it takes requests
	Media       string    `json:"media"`       // the address of its media server's UDP port; "" when that server is elsewhere
	Cluster     string    `json:"cluster"`     // which media cluster it uses, see Meets; "" when it does not say
	Connections int       `json:"connections"` // of people who came in through it
	People      int       `json:"people"`      // whose sound and pictures its media server forwards
	StartedAt   time.Time `json:"started_at"`
	SeenAt      time.Time `json:"seen_at"`

	run        string // tells this process from another one of the same name
	draining   bool
	stopping   bool
	mediaReady bool
	comparing  bool // meetings with the media server
	clock      clock
}

// State is what a node does.
type State string

// The states of a node.
const (
	Ready    State = "ready"
	Draining State = "draining" // it should take no more people
	Stopping State = "stopping"
	Lost     State = "lost" // it has not been seen for lostAfter
)

// Reason is why a node takes no new people; "" if it does.
type Reason string

// The reasons for which a node takes no new people while it goes on.
const (
	ByOperator Reason = "operator"
	ByClock    Reason = "clock"
)

// clock is what a node says about the clock of its machine.
type clock string

const (
	isRight clock = "right"
	isWrong clock = "wrong"    // its media server harms those of other nodes
	drains  clock = "draining" // wrong, and the node leaves new people to others
)

const (
	// readEvery is how often a node reads whether it should drain.
	readEvery = time.Second
	// renewEvery is how often it renews its row.
	renewEvery = 5 * time.Second
	// lostAfter is the age of a row at which its node counts as lost: it was killed, or
	// it stands still.
	lostAfter = 3 * renewEvery
	// leaveWithin bounds what a node writes when it stops.
	leaveWithin = 2 * time.Second
	// wrongFor is how long a clock has to be wrong before its node drains. When the
	// database's clock is set, all nodes notice that theirs differ, each within the five
	// seconds between two looks at it (package db) and readEvery. By the end of wrongFor they
	// have all said so, and none of them drains.
	wrongFor = 2 * renewEvery
	// forgetAfter is the age at which a row is deleted.
	forgetAfter = 24 * time.Hour
)

// state is the state of a node at a time.
func (n Node) state(now time.Time) State {
	switch {
	case now.Sub(n.SeenAt) > lostAfter:
		return Lost
	case n.stopping:
		return Stopping
	case n.draining, n.clock == drains:
		return Draining
	}
	return Ready
}

// livingBeside are the names of the nodes that live beside the one of a name.
func livingBeside(nodes []Node, name string, now time.Time) (names []string) {
	for _, n := range nodes {
		if n.Name != name && n.state(now) != Lost {
			names = append(names, n.Name)
		}
	}
	return names
}

// othersOf counts the nodes beside the one of a name.
func othersOf(nodes []Node, name string, now time.Time) (o Others) {
	for _, n := range nodes {
		state := n.state(now)
		if n.Name == name || state == Lost {
			continue
		}
		o.Live++
		if state == Ready && n.mediaReady {
			o.Media++
			if n.clock == isRight {
				o.RightTime++
			}
		}
	}
	return o
}

// Meets says whether people who come in through two nodes meet, by the nodes' media
// clusters. A cluster is described by one or more names with spaces between them. Two
// descriptions are of one cluster if they have a name in common: while its address or its
// key is being changed on one node after the other, the rest of the description stays. A
// node of an earlier version says nothing about its cluster, and is believed to be right.
func Meets(one, other string) bool {
	names := strings.Fields(other)
	return one == "" || other == "" || slices.ContainsFunc(strings.Fields(one), func(name string) bool { return slices.Contains(names, name) })
}

// Idle says whether nobody would notice if the node stopped now.
func (n Node) Idle() bool { return n.State == Lost || n.Connections == 0 && n.People == 0 }

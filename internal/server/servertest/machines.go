package servertest

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// machines are those on which the nodes of one service run, and PostgreSQL. The
// clock of each differs from PostgreSQL's by the same all the time.
type machines struct {
	clock  *dbtest.Clock
	nodes  []*Service
	passed atomic.Int64 // the time by which the test moved all clocks
}

// Machines starts a node of one service on each of several machines, whose
// clocks are ahead of PostgreSQL's by the given times. As in production, the
// nodes ask PostgreSQL for its time. Time runs by itself; Advance of one node
// moves all clocks, and runs what is due on that node.
//
// There is nothing like this for SQLite, which has one node and one clock.
func Machines(t testing.TB, o Options, ahead ...time.Duration) []*Service {
	t.Helper()
	where := dbtest.Config(t, db.PostgreSQL)
	m := &machines{clock: dbtest.NewClock(t, where)}
	o.machines = m
	for i, by := range ahead {
		wall := func() time.Time { return time.Now().Add(by + time.Duration(m.passed.Load())) }
		if i == 0 {
			o.wall = wall
			m.nodes = append(m.nodes, Start(t, where, o))
			continue
		}
		m.nodes = append(m.nodes, m.nodes[0].nodeOn(wall))
	}
	return m.nodes
}

// pass moves all clocks, and lets every node ask for PostgreSQL's time, as nodes
// otherwise do every few seconds.
func (m *machines) pass(d time.Duration) {
	before := make([]time.Time, len(m.nodes))
	for i, n := range m.nodes {
		before[i] = n.DB().Now()
	}
	m.passed.Add(int64(d))
	m.clock.Advance(d)
	for i, n := range m.nodes {
		// A node ignores an answer that was slow, and asks again. Half of the time
		// is more than it tolerates as a difference.
		for asked := false; !asked || n.DB().Now().Sub(before[i]) < d/2; asked = true {
			if err := n.DB().CompareClocks(n.t.Context()); err != nil {
				n.t.Fatal(err)
			}
		}
	}
}

package node

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// lookEvery is how often a node that waits in Join reads the list.
const lookEvery = 250 * time.Millisecond

// Join adds this process to the list. It refuses to while there is a node of another
// media cluster, because people of one room would meet in two places.
//
// A row that names another cluster may be wrong: its node was killed a moment ago, or is
// about to write a new description of its cluster, because its Redis has another identity
// now. So Join waits. A node that lives renews its row within renewEvery: if the row still
// names another cluster then, Join refuses. A node that does not live counts as lost
// after lostAfter.
func (k *Keeper) Join(ctx context.Context) error {
	k.Self.run = rand.Text()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	seen := map[string]time.Time{} // the age of the rows that Join waits for, by run
	for {
		other, err := k.join(ctx)
		if err != nil || other == nil {
			return err
		}
		before, again := seen[other.run]
		if again && other.SeenAt.After(before) {
			return fmt.Errorf("the node %s (at %s) serves the same data with another media cluster (%s) than this one (%s), so people of one room would meet in two places. "+
				"Give all nodes the same --redis-url or the same --media-url; to change it, stop all nodes first", other.Name, other.Listen, other.Cluster, k.Self.Cluster)
		}
		if !again {
			seen[other.run] = other.SeenAt
			k.Logger.WarnContext(ctx, "another node seems to use another media cluster; waiting until it is seen again, or is lost", "name", other.Name, "cluster", other.Cluster)
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return fmt.Errorf("join the nodes: %w", context.Cause(ctx))
		}
	}
}

// join adds this process to the list, or returns a node that keeps it out. Of two nodes
// that do this at the same time, one sees the other.
func (k *Keeper) join(ctx context.Context) (other *Node, err error) {
	k.Self.Cluster, k.Self.clock = k.Cluster(), isRight
	if k.OffTime() {
		k.Self.clock = isWrong
	}
	err = k.DB.Write(ctx, func(tx *db.Tx) error {
		other = nil
		nodes, err := all(ctx, tx)
		if err != nil {
			return err
		}
		k.Self.StartedAt, k.Self.mediaReady = k.Now(), !k.mediaDown.Load()
		for _, n := range nodes {
			if n.state(k.Self.StartedAt) != Lost && !Meets(n.Cluster, k.Self.Cluster) {
				other = &n
				return nil
			}
		}
		k.living = livingBeside(nodes, k.Self.Name, k.Self.StartedAt)
		return errors.Join(forget(ctx, tx, k.Self.StartedAt.Add(-forgetAfter)), save(ctx, tx, k.Self, k.Self.StartedAt))
	})
	return other, err
}

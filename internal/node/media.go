package node

import (
	"context"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Others is what this node knows of the other nodes that live.
type Others struct {
	Live      int
	Media     int // how many of them take people, and have a media server that answers
	RightTime int // how many of those have a clock that is right
}

// Replace says whether this node should be out of service while its media server does
// not answer: when another node can take its people, and when there is no other node.
// When several nodes live and no media server answers, for instance because their common
// Redis is gone, all nodes together would be out of service otherwise, also for everything
// that needs no media server.
func (o Others) Replace() bool { return o.Live == 0 || o.Media > 0 }

// MediaReady notes whether this node's media server answers, and returns what the others
// have noted.
func (k *Keeper) MediaReady(ctx context.Context, ready bool) (Others, error) {
	if k.mediaDown.Swap(!ready) == ready {
		err := k.DB.WriteLoosely(ctx, func(tx *db.Tx) error { return setMediaReady(ctx, tx, k.Self.Name, k.Self.run, ready) })
		if err != nil {
			k.mediaDown.Store(ready) // what the list still says, so that the next call tries again
			return Others{}, err
		}
	}
	if ready {
		return Others{}, nil
	}
	return k.others(ctx)
}

// others reads what the other nodes have noted.
func (k *Keeper) others(ctx context.Context) (Others, error) {
	var nodes []Node
	err := k.DB.Read(ctx, func(tx *db.Tx) (err error) {
		nodes, err = all(ctx, tx)
		return err
	})
	return othersOf(nodes, k.Self.Name, k.Now()), err
}

package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/loop"
)

// Service is the list, for operators.
type Service struct {
	DB  *db.DB
	Now func() time.Time
}

// List lists all nodes by name.
func (s *Service) List(ctx context.Context) ([]Node, error) {
	var nodes []Node
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		nodes, err = all(ctx, tx)
		return err
	})
	for i, n := range nodes {
		nodes[i].State = n.state(s.Now())
	}
	return nodes, err
}

// SetDraining says whether a node should take no more people, and returns the node.
func (s *Service) SetDraining(ctx context.Context, name string, draining bool) (Node, error) {
	var n Node
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		if err := setDraining(ctx, tx, name, draining); err != nil {
			return err
		}
		var err error
		n, err = named(ctx, tx, name)
		return err
	})
	if errors.Is(err, db.ErrNoRows) {
		return Node{}, fault.BadParameter("name", "There is no node of this name: conclave nodes list shows them.")
	}
	n.State = n.state(s.Now())
	return n, err
}

// Keeper keeps the row of this process.
type Keeper struct {
	Service

	Self     Node
	Logger   *slog.Logger
	Count    func() (connections, people int)
	Stopping func() bool
	// Cluster describes the media cluster of this node for Meets. It may change while the
	// node runs.
	Cluster func() string
	// MediaAnswers says whether this node's media server answers.
	MediaAnswers func(ctx context.Context) bool
	// Comparing says whether this node's rounds of comparing meetings go on.
	Comparing func() bool
	// OffTime says whether this node's media server harms the others of its cluster, because
	// the clock of this machine is wrong.
	OffTime func() bool
	// OnDrain is called when this node should take no new people, and with "" when it
	// should again.
	OnDrain func(why Reason)
	// OnGone is called when a node has ended or is lost, on one of those that are left, and
	// is called again there when it fails. If the others may not have seen a node, that node
	// calls it itself when it ends.
	OnGone func(ctx context.Context) error

	living     []string // the other nodes that lived at the last look, or when this one joined
	share      atomic.Pointer[share]
	mediaDown  atomic.Bool // what the list says about this node's media server
	draining   Reason
	wrongSince time.Time // since when the clock of this machine is wrong; zero while it is right
	replaced   bool      // by another node of the same name
	failed     bool      // the last try; only the first failure in a row is logged
	renewed    time.Time
}

// Run keeps the row until ctx ends, and then takes it away. Join has written it.
func (k *Keeper) Run(ctx context.Context) {
	failing := func(err error) {
		if !k.failed {
			k.Logger.WarnContext(ctx, "the list of nodes cannot be brought up to date; trying again", "error", err)
		}
		k.failed = true
	}
	loop.Later(ctx, readEvery, func(ctx context.Context) error {
		err := k.keep(ctx)
		k.failed = k.failed && err != nil
		return err
	}, failing)
	k.Leave(ctx)
}

// Leave takes the row away, also when ctx has ended. Run calls it; a process that joined
// and does not come to Run calls it itself.
func (k *Keeper) Leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	if err := k.leave(ctx); err != nil {
		k.Logger.WarnContext(ctx, "this node could not finish its work before it stopped", "error", err)
	}
}

// leave takes the row away. If this node joined only a moment ago, the others may never
// have seen it in the list, and do not notice that it is gone. Then it calls OnGone
// itself.
func (k *Keeper) leave(ctx context.Context) error {
	var others []string
	err := k.DB.WriteLoosely(ctx, func(tx *db.Tx) error {
		if err := remove(ctx, tx, k.Self.Name, k.Self.run); err != nil {
			return err
		}
		nodes, err := all(ctx, tx)
		others = livingBeside(nodes, k.Self.Name, k.Now())
		return err
	})
	if err != nil {
		return fmt.Errorf("leave the list of nodes: %w", err)
	}
	if len(others) == 0 || k.Now().Sub(k.Self.StartedAt) >= lostAfter {
		return nil
	}
	return k.followUp(ctx)
}

// Takes says whether this node does the work of a key in a round, where the nodes divide
// work that any of them can do (share.go).
func (k *Keeper) Takes(key string, round int) bool {
	s := k.share.Load()
	return s == nil || s.takes(key, round, k.Now())
}

// keep reads the list, renews this node's row, and notices when other nodes are gone.
func (k *Keeper) keep(ctx context.Context) error {
	var nodes []Node
	err := k.DB.Read(ctx, func(tx *db.Tx) (err error) {
		nodes, err = all(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	k.share.Store(new(shareOf(nodes, k.Self, k.Now())))
	return errors.Join(k.keepRow(ctx, nodes), k.noticeGone(ctx, nodes))
}

// noticeGone calls OnGone when a node that lived at the last look is gone. Of the nodes
// that are left, the first by name does so.
func (k *Keeper) noticeGone(ctx context.Context, nodes []Node) error {
	living := livingBeside(nodes, k.Self.Name, k.Now())
	isGone := slices.ContainsFunc(k.living, func(name string) bool { return !slices.Contains(living, name) })
	isFirst := !slices.ContainsFunc(living, func(name string) bool { return name < k.Self.Name })
	if isGone && isFirst {
		if err := k.followUp(ctx); err != nil {
			return err
		}
	}
	k.living = living
	return nil
}

func (k *Keeper) followUp(ctx context.Context) error {
	if err := k.OnGone(ctx); err != nil {
		return fmt.Errorf("follow up on a node that is gone: %w", err)
	}
	return nil
}

// keepRow renews this node's row when it is time or when the node stops.
func (k *Keeper) keepRow(ctx context.Context, nodes []Node) error {
	var n Node
	at := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == k.Self.Name })
	gone := at < 0 // another node forgot this one, which stood still for long
	if !gone {
		n = nodes[at]
	}
	switch {
	case gone:
	case n.run != k.Self.run && k.replaced:
		return nil
	case n.run != k.Self.run:
		k.replaced = true
		k.drain(ctx, "")
		k.Logger.WarnContext(ctx, "another node has the same name, and is listed instead of this one; give each a --node-name of its own", "name", k.Self.Name)
		return nil
	}
	now, stops, cluster, comparing := k.Now(), k.Stopping(), k.Cluster(), k.Comparing()
	clock, err := k.judgeClock(ctx, now)
	if err != nil {
		return err
	}
	k.drain(ctx, reason(n.draining, clock))
	// The age is negative after the database's clock was set back.
	if !gone && now.Sub(k.renewed).Abs() < renewEvery && stops == k.Self.stopping && cluster == k.Self.Cluster && comparing == k.Self.comparing && clock == k.Self.clock {
		return nil
	}
	k.Self.stopping, k.Self.Cluster, k.Self.comparing, k.Self.clock = stops, cluster, comparing, clock
	k.Self.Connections, k.Self.People = k.Count()
	k.Self.mediaReady = k.MediaAnswers(ctx)
	k.mediaDown.Store(!k.Self.mediaReady)
	k.renewed = now
	return k.DB.WriteLoosely(ctx, func(tx *db.Tx) error {
		if gone {
			return save(ctx, tx, k.Self, now)
		}
		return renew(ctx, tx, k.Self, now)
	})
}

// judgeClock says what this node notes about the clock of its machine.
func (k *Keeper) judgeClock(ctx context.Context, now time.Time) (clock, error) {
	if !k.OffTime() {
		k.wrongSince = time.Time{}
		return isRight, nil
	}
	if k.wrongSince.IsZero() {
		k.wrongSince = now
	}
	if now.Sub(k.wrongSince) < wrongFor {
		return isWrong, nil
	}
	others, err := k.others(ctx)
	if err != nil {
		return "", err
	}
	// If no clock is right, it is likely that the database's is the wrong one.
	if others.RightTime == 0 {
		return isWrong, nil
	}
	return drains, nil
}

// reason is why a node should take no new people.
func reason(byOperator bool, c clock) Reason {
	switch {
	case byOperator:
		return ByOperator
	case c == drains:
		return ByClock
	}
	return ""
}

// drain calls OnDrain when the reason has changed.
func (k *Keeper) drain(ctx context.Context, why Reason) {
	if why == k.draining {
		return
	}
	k.draining = why
	k.Logger.InfoContext(ctx, "whether this node takes new people has changed", "drained_by", cmp.Or(why, "nobody"))
	k.OnDrain(why)
}

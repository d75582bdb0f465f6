package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/node"
)

type nodesCmd struct {
	List    nodesList    `cmd:"" help:"List the nodes that serve this data."`
	Drain   nodesDrain   `cmd:"" help:"Let a node take no new people: its /readyz fails, and new meetings begin on other nodes. Meetings that run go on."`
	Undrain nodesUndrain `cmd:"" help:"Let a node take people again."`
}

type nodesList struct{ common }

func (c *nodesList) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		nodes, err := d.nodes().List(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(api.ListOf(nodes, false))
		}
		rows := make([][]string, len(nodes))
		for i, n := range nodes {
			rows[i] = []string{
				n.Name, string(n.State), n.Version, strconv.Itoa(n.Connections), strconv.Itoa(n.People), n.Listen, n.Media,
				n.StartedAt.Format(time.RFC3339), n.SeenAt.Format(time.RFC3339),
			}
		}
		o.table([]string{"NAME", "STATE", "VERSION", "CONNECTIONS", "PEOPLE", "LISTEN", "MEDIA", "STARTED", "SEEN"}, rows)
		return nil
	})
}

type nodesDrain struct {
	common

	Name string        `arg:"" help:"Name of the node, as conclave nodes list prints it."`
	Wait time.Duration `help:"Wait until nobody is on the node any more, but no longer than this." placeholder:"DURATION"`
}

func (c *nodesDrain) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		n, err := d.nodes().SetDraining(ctx, c.Name, true)
		if err == nil && c.Wait > 0 {
			n, err = waitUntilIdle(ctx, d.nodes(), n, c.Wait)
		}
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(n)
		}
		o.line("The node %s takes no new people. %d came in through it, and %d are on its media server.", n.Name, n.Connections, n.People)
		return nil
	})
}

// waitUntilIdle waits until nobody is on a node any more.
func waitUntilIdle(ctx context.Context, nodes *node.Service, n node.Node, most time.Duration) (node.Node, error) {
	enough := time.After(most)
	again := time.NewTicker(time.Second)
	defer again.Stop()
	since := n.SeenAt // what it reported before may be old
	for {
		all, err := nodes.List(ctx)
		if err != nil {
			return n, err
		}
		there := false
		for _, other := range all {
			if other.Name == n.Name {
				n, there = other, true
			}
		}
		if !there || n.SeenAt.After(since) && n.Idle() || n.State == node.Lost {
			return n, nil
		}
		select {
		case <-again.C:
		case <-enough:
			return n, fmt.Errorf("after %s %d people are still connected through %s, and %d are on its media server", most, n.Connections, n.Name, n.People)
		case <-ctx.Done():
			return n, context.Cause(ctx)
		}
	}
}

type nodesUndrain struct {
	common

	Name string `arg:"" help:"Name of the node."`
}

func (c *nodesUndrain) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		n, err := d.nodes().SetDraining(ctx, c.Name, false)
		if err != nil {
			return err
		}
		if n.State == node.Lost || n.State == node.Stopping {
			return fault.BadParameter("name", "The node "+n.Name+" is "+string(n.State)+", so it takes nobody.")
		}
		if c.JSON {
			return o.json(n)
		}
		o.line("The node %s takes people again.", n.Name)
		return nil
	})
}

func (d *desk) nodes() *node.Service { return &node.Service{DB: d.db, Now: d.db.Now} }

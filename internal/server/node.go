package server

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/node"
)

// nodeKeeper lists this process among the nodes, and drains it when an operator says
// so.
func (s *Server) nodeKeeper(o Options) *node.Keeper {
	self := node.Node{Version: o.Version}
	if s.embedded != nil {
		public, _ := s.embedded.Address()
		self.Media = public.String()
	}
	return &node.Keeper{
		Service: node.Service{DB: s.db, Now: o.Now}, Self: self, Logger: s.log,
		Stopping: s.stopping.Load, Cluster: s.cluster,
		Count: func() (connections, people int) {
			if s.embedded != nil {
				people = s.embedded.People(context.Background())
			}
			return int(s.connections.Load()), people
		},
		MediaAnswers: func(ctx context.Context) bool {
			ctx, cancel := context.WithTimeout(ctx, readyTimeout)
			defer cancel()
			return s.mediaReady(ctx) == nil
		},
		Comparing: s.Live.Comparing,
		OffTime:   s.offTime,
		// People may wait whose devices followed there and follow nowhere now.
		OnGone: s.Stream.NobodyFollows,
		OnDrain: func(why node.Reason) {
			s.drainedBy.Store(why)
			s.drainMedia(why != "" || s.stopping.Load())
		},
	}
}

// offTime says whether this machine's clock is so wrong that operators are told, and this
// node's media server belongs to a cluster, whose nodes compare times of their machines:
// LiveKit takes a node for dead whose entry in Redis is five seconds old, and renews that
// entry every two seconds.
func (s *Server) offTime() bool {
	return s.embedded != nil && s.config.RedisURL != "" && s.db.Skew() != 0
}

// drainReason is why no new people should come to this node; "" if they may.
func (s *Server) drainReason() node.Reason {
	why, _ := s.drainedBy.Load().(node.Reason)
	return why
}

// cluster describes the media cluster of this node to the other nodes; "" where there can
// be none. An operator's LiveKit is described by its address and its key, because it stores
// no lasting id. Nodes may reach it at different addresses, but then they have the same
// key.
func (s *Server) cluster() string {
	if s.embedded != nil {
		if id := s.embedded.ClusterIdentity(); id != "" {
			return "redis:" + id
		}
		return ""
	}
	u, err := url.Parse(s.config.MediaURL)
	if err != nil || u.Host == "" {
		return "" // the media server of a test
	}
	return "livekit:" + strings.ToLower(u.Host) + " livekit-key:" + s.config.MediaAPIKey
}

// clusterIdentity is the identity of the media cluster that Redis joins. Where nodes
// share no data, nobody asks for it.
func (s *Server) clusterIdentity(ctx context.Context, redis livekit.Redis) (string, error) {
	if redis.Address == "" || s.db.Engine() != db.PostgreSQL {
		return "", nil
	}
	nodes, err := (&node.Service{DB: s.db, Now: s.db.Now}).List(ctx)
	if err != nil {
		return "", err
	}
	wait := time.Duration(0)
	if slices.ContainsFunc(nodes, func(n node.Node) bool { return n.State != node.Lost && n.Cluster != "" }) {
		wait = livekit.WriteBack
	}
	id, err := redis.Identity(ctx, wait)
	if err != nil {
		return "", fmt.Errorf("start the media server (--redis-url): %w", err)
	}
	return id, nil
}

// nodeName is what a node is called that takes requests at an address.
func (s *Server) nodeName(listen string) string {
	if s.config.NodeName != "" {
		return s.config.NodeName
	}
	host, err := os.Hostname()
	if err != nil {
		host = "node"
	}
	_, port, err := net.SplitHostPort(listen)
	if err != nil {
		return host
	}
	return net.JoinHostPort(host, port)
}

package server

import (
	"context"
	"net"
	"os"

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
		Stopping: s.stopping.Load,
		Count: func() (connections, people int) {
			if s.embedded != nil {
				people = s.embedded.People(context.Background())
			}
			return int(s.connections.Load()), people
		},
		OnDrain: func(draining bool) {
			s.drainedBy.Store(draining)
			if s.embedded != nil && s.config.RedisURL != "" {
				s.embedded.SetDraining(draining)
			}
		},
	}
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

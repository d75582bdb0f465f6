package server

import (
	"context"
	"net/netip"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
	"github.com/conclave-rooms/conclave/internal/seal"
)

func (s *Server) newEdge(sealer *seal.Sealer, limits rest.Limits, o Options) *rest.Edge {
	c := rest.Config{
		Logger: s.log, Now: o.Now, PublicURL: s.config.PublicURL, Version: o.Version, DB: s.db, Sealer: sealer,
		Limits: limits, HSTS: s.config.EndsTLS(),
		Observe: func(ctx context.Context, x rest.Observation) {
			s.metrics.request(x.Method, x.Route, x.Status, x.Duration)
			answered(ctx, x)
		},
	}
	if s.db.Engine() == db.PostgreSQL {
		c.Limiter = limit.NewSQL(s.db, o.Now) // several nodes count together
	}
	for _, network := range s.config.TrustedProxy {
		c.TrustedProxies = append(c.TrustedProxies, netip.MustParsePrefix(network)) // Check has parsed it
	}
	return rest.New(c)
}

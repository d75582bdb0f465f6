package server

import (
	"context"

	"github.com/conclave-rooms/conclave/internal/join"
	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/probe"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// wireJoins builds the ways in.
func (s *Server) wireJoins(sealer *seal.Sealer, keys derivedKeys, o Options) {
	s.Joins = &join.Service{
		DB: s.db, Stream: s.Stream, Identity: s.Identity, Now: o.Now, PublicURL: s.config.PublicURL, Logger: s.log, Keys: keys.join,
		Passphrases: &mediaroom.Passphrases{DB: s.db, Sealer: sealer, Now: o.Now},
		Next:        s.Schedule.NextIn,
		PlaceOf:     s.Breakouts.PlaceOf,
		OnLetIn:     s.Groups.LetIn,
		Connect:     s.Live.Connect,
		SetRole:     s.Live.SetRole,
		UpdateRoom:  s.Rooms.Change,
		WriteFile:   s.Feeds.Occurrence,
	}
}

// wireProbes builds the connection tests.
func (s *Server) wireProbes(keys derivedKeys, o Options) {
	s.Probes = &probe.Service{
		Media: s.media, Now: o.Now, Later: o.Later, Logger: s.log, PublicURL: s.config.PublicURL, Key: keys.tests,
		MayCome: s.Joins.MayCome,
		SignedIn: func(ctx context.Context, session string) error {
			_, _, err := s.Identity.SessionAuthenticator(ctx, session)
			return err
		},
		Cut: func(identity string) { s.gate.Disconnect(identity) },
	}
}

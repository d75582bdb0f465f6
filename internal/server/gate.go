package server

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/gate"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// wireGate builds the gate. The features decide which devices it lets through.
func (s *Server) wireGate() {
	s.gate = &gate.Gate{
		Upstream: s.media.Upstream(), Logger: s.log, Suspects: s.suspects,
		LetThrough: s.letThrough,
		Check:      s.wouldLetThrough,
		Verify: func(token string) (identity string, err error) {
			identity, _, err = s.whose(token)
			return identity, err
		},
		Refused: func(r *http.Request) { _ = s.edge.Count(r, rest.ClassRefusedMedia) },
		Wait:    func(r *http.Request) time.Duration { return s.edge.Wait(r, rest.ClassRefusedMedia) },
		Count:   s.countConnection,
		OnDecided: func(ctx context.Context, outcome string, took time.Duration) {
			s.metrics.joins.WithLabelValues(outcome).Observe(took.Seconds())
			joined(ctx, outcome)
		},
		OnChange: func(open int) {
			s.metrics.connections.Set(float64(open))
			s.connections.Store(int64(open))
		},
	}
	if s.turn != nil {
		s.gate.Relays = s.turn.Relays
	}
}

// countConnection counts requests to the gate: connections for the person and
// for their address, and separately the questions after failed ones.
func (s *Server) countConnection(r *http.Request, whose string, connects bool) time.Duration {
	if !connects {
		whose = "ask/" + whose
	}
	wait := s.edge.CountFor(r, rest.ClassConnections, whose)
	if wait > 0 || !connects {
		return wait
	}
	return s.edge.Count(r, rest.ClassAllConnections)
}

// decideWithin is how long a decision may take. Only a database that does not
// answer takes longer, and then the device tries again.
const decideWithin = 20 * time.Second

// letThrough decides about one connection.
func (s *Server) letThrough(ctx context.Context, token string, r *http.Request) (decision gate.Decision, err error) {
	defer func() {
		if refusal, ok := fault.As(err); ok {
			s.metrics.refusals.WithLabelValues(refusal.Code).Inc()
			refusedWith(ctx, refusal.Code)
		}
	}()
	if err := s.suspected(token, r); err != nil {
		return gate.Decision{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, decideWithin)
	defer cancel()
	if _, ok := s.Probes.Whose(token); ok {
		c, err := s.Probes.LetThrough(ctx, token, s.edge.Site(r))
		return gate.Decision{
			Token: c.Token, Identity: c.Identity, Room: c.Room, Media: c.Room, Person: c.Identity, Address: s.edge.ClientAddress(r), Release: c.Release,
		}, err
	}
	upstream, held, err := s.Joins.LetThrough(ctx, token)
	mediaRoom := seat.MediaRoom(held.RoomID, held.BreakoutID)
	return gate.Decision{
		Token: upstream, Identity: held.Identity, Room: held.RoomID, Media: mediaRoom,
		Person: seat.Person(held.Identity), Address: s.edge.ClientAddress(r),
		Goodbye: func() { s.Live.Goodbye(mediaRoom, held.Identity) },
	}, err
}

// wouldLetThrough decides as letThrough would, and changes nothing.
func (s *Server) wouldLetThrough(ctx context.Context, token string, r *http.Request) error {
	if err := s.suspected(token, r); err != nil {
		return err
	}
	if _, ok := s.Probes.Whose(token); ok {
		return s.Probes.Check(token, s.edge.Site(r))
	}
	return s.Joins.WouldLetThrough(ctx, token)
}

// whose returns the identity that a token is for, and its room: those of a seat, or
// of a connection test, which has no room of the database.
func (s *Server) whose(token string) (identity, room string, err error) {
	if name, ok := s.Probes.Whose(token); ok {
		return name, name, nil
	}
	return s.Joins.Whose(token)
}

// suspected refuses a person while gate.Suspects keeps them out.
func (s *Server) suspected(token string, r *http.Request) error {
	identity, room, err := s.whose(token)
	if err != nil {
		return err
	}
	wait := s.suspects.Wait(identity, seat.Person(identity), room, s.edge.ClientAddress(r))
	if wait == 0 {
		return nil
	}
	refusal := fault.New(fault.RateLimited, api.CodeRateLimited, fmt.Sprintf(
		"The media server failed several times just after you, or others at your address, came in. Try again in %.0f seconds.", math.Ceil(wait.Seconds())))
	refusal.RetryAfter = wait
	return refusal
}

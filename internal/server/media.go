package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/gate"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// claim refuses to start beside another process that serves the same data, unless
// the people of both would meet: their embedded media servers form a cluster, or
// both use the same external one.
func (s *Server) claim(ctx context.Context) (err error) {
	together := s.config.RedisURL != "" || s.config.MediaURL != ""
	s.claimed, err = s.db.Take(ctx, together)
	if err != nil && s.db.Engine() == db.PostgreSQL {
		return fmt.Errorf("%w. Stop it, or give all nodes the same --redis-url, so that their people meet", err)
	}
	if err != nil {
		return err
	}
	s.closers = append([]func() error{func() error { s.claimed.Release(); return nil }}, s.closers...)
	return nil
}

// askInCluster is how often the media server of a cluster is asked whether it
// answers. After five seconds the others take its rooms, so it makes no sense to
// wait much longer for one that hangs.
const askInCluster = 2 * time.Second

// startMedia starts the embedded media server, or connects to the configured one.
// What is made here goes by this machine's clock, as the embedded media server itself
// does: its credentials for TURN expire by that clock. The configured one runs
// elsewhere, and is more likely to agree with the clock of all nodes.
func (s *Server) startMedia(ctx context.Context, secret string, now func() time.Time) error {
	if err := s.claim(ctx); err != nil {
		return err
	}
	if s.config.MediaURL != "" {
		external, err := livekit.Connect(s.config.MediaURL, s.config.MediaAPIKey, s.config.MediaAPISecret, s.db.Now)
		if err != nil {
			return err
		}
		s.media, s.hints = external, external.HintHandler()
		return nil
	}
	var redis config.Redis
	if s.config.RedisURL != "" {
		var err error
		if redis, err = config.ParseRedis(s.config.RedisURL); err != nil {
			return err
		}
	}
	askEvery := livekit.DefaultAskEvery
	if s.config.RedisURL != "" {
		askEvery = askInCluster
	}
	identity, err := s.clusterIdentity(ctx, livekit.Redis(redis))
	if err != nil {
		return err
	}
	turnHost, turnPort := s.config.TURNAddress()
	embedded, err := livekit.Embed(ctx, livekit.EmbedConfig{
		APIKey: "conclave", APISecret: secret, UDPPort: s.config.MediaUDPPort, TCPPort: s.config.MediaTCPPort, NodeIP: s.config.MediaNodeIP,
		Redis: livekit.Redis(redis), ClusterIdentity: identity, Logger: s.log, AskEvery: askEvery,
		TURN: livekit.TURN{TLSHost: turnHost, TLSPort: turnPort, UDPPort: s.config.TURNUDPPort},
	})
	if flag := flagBehind(err, s.config); flag != "" {
		return fmt.Errorf("start the media server (%s): %w", flag, err)
	}
	if err != nil {
		return fmt.Errorf("start the media server: %w", err)
	}
	s.media, s.embedded, s.suspects = embedded, embedded, gate.NewSuspects(now)
	if s.config.RedisURL != "" {
		s.drainMedia = embedded.SetDraining
	}
	s.closers = append([]func() error{func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		return embedded.Stop(ctx)
	}}, s.closers...)
	return s.makeTURN(now)
}

// flagBehind is the flag of what the media server could not use: a port that another
// program has, or a Redis that does not answer; "" for any other error. The error
// comes from another process, so it is only a text.
func flagBehind(err error, c config.Serve) string {
	if err == nil {
		return ""
	}
	for _, port := range []struct {
		network, flag string
		number        int
	}{{"udp", "--media-udp-port", c.MediaUDPPort}, {"tcp", "--media-tcp-port", c.MediaTCPPort}} {
		taken := fmt.Sprintf(":%d: bind: %v", port.number, syscall.EADDRINUSE)
		if strings.Contains(err.Error(), "listen "+port.network) && strings.Contains(err.Error(), taken) {
			return port.flag
		}
	}
	if strings.Contains(err.Error(), "connect to redis") {
		return "--redis-url"
	}
	return ""
}

// followMedia sets what happens when the embedded media server ends or returns.
func (s *Server) followMedia() {
	if s.embedded == nil {
		return
	}
	var lost []string // the rooms of the last report, which comes again until they are elsewhere
	s.embedded.SetHooks(livekit.Hooks{
		Ended: func(end livekit.End) {
			s.metrics.restarts.Inc()
			if !end.Hung { // noticing a hung server takes a while, in which others came
				s.logSuspects(s.suspects.MediaEnded())
			}
		},
		// It has forgotten the rooms, so they are compared before the next
		// tick.
		Returned: func() {
			ctx, cancel := context.WithTimeout(context.Background(), compareWithin)
			defer cancel()
			s.Live.Tick(ctx)
		},
		// Their signalling came through this node, and would lead nowhere.
		Nodes: s.turn.SetNodes,
		Lost: func(rooms []string) {
			if n := s.gate.Interrupt(rooms); n > 0 {
				s.log.Warn("another node's media server does not answer; its people connect to a new one", "people", n)
			}
			for _, name := range rooms { // that node may have had the task to compare them
				if !slices.Contains(lost, name) {
					roomID, _ := seat.SplitMediaRoom(name)
					s.Live.RequestSync(roomID)
				}
			}
			lost = rooms
		},
	})
}

// compareWithin is how long it may take to find the rooms that have to be compared: while
// the database does not answer, the restarted media server is not watched. If it takes
// longer, the next tick compares them.
const compareWithin = 5 * time.Second

// mostSuspects bounds how many suspects are logged; when a crowd arrives, names
// say little.
const mostSuspects = 20

func (s *Server) logSuspects(all []gate.Suspect) {
	for _, one := range all[:min(len(all), mostSuspects)] {
		s.log.Warn("somebody came in, or announced a track, shortly before the media server ended",
			"identity", one.Identity, "room", one.Room, "address", one.Address, "times", one.Ends, "kept_out_until", one.Until)
	}
	if more := len(all) - mostSuspects; more > 0 {
		s.log.Warn("more people came in shortly before the media server ended", "people", more)
	}
}

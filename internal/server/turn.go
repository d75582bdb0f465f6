package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/conclave-rooms/conclave/internal/media/turn"
)

// makeTURN makes the TURN server for the embedded media server, which listens
// nowhere yet.
func (s *Server) makeTURN(now func() time.Time) (err error) {
	public, local := s.embedded.Address()
	s.turn, err = turn.New(turn.Config{
		Secret: s.embedded.TURNSecret(), Own: turn.Peer{Public: public, Local: local}, Now: now, Logger: s.log,
	})
	if err != nil {
		return err
	}
	s.metrics.countRelays(s.turn.Allocations)
	s.closers = append([]func() error{s.turn.Close}, s.closers...)
	return nil
}

// listenTURN serves TURN where it is configured, and returns the listener for
// HTTP. When it fails, it has closed the listener.
func (s *Server) listenTURN(ctx context.Context, l net.Listener) (net.Listener, error) {
	if s.turn == nil {
		return l, nil
	}
	web := l
	var err error
	if host, port := s.config.TURNAddress(); host != "" {
		var own net.Listener
		web, own = turn.Split(l)
		err = s.turn.Serve(own)
		s.log.InfoContext(ctx, "networks that pass only HTTPS are served: TURN over TLS", "host", host, "port", port)
	}
	if err == nil && s.config.TURNUDPPort != 0 {
		err = s.listenTURNPackets(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, web.Close())
	}
	return web, nil
}

// listenTURNPackets serves TURN over UDP, on the address on which media is
// received.
func (s *Server) listenTURNPackets(ctx context.Context) error {
	_, local := s.embedded.Address()
	at := netip.AddrPortFrom(local.Addr(), uint16(s.config.TURNUDPPort))
	packets, err := (&net.ListenConfig{}).ListenPacket(ctx, "udp", at.String())
	if err != nil {
		return fmt.Errorf("listen on UDP port %s (--turn-udp-port): %w", strconv.Itoa(s.config.TURNUDPPort), err)
	}
	return s.turn.ServePackets(packets)
}

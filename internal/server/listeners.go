package server

import (
	"context"
	"fmt"
	"net"
)

// listeners are where the service listens.
type listeners struct {
	web     net.Listener
	metrics net.Listener // nil: metrics are served with everything else
	plain   net.Listener // HTTP beside HTTPS; nil: none
}

// listenAll opens every listener that is configured, or none if one fails.
func (s *Server) listenAll(ctx context.Context) (open listeners, err error) {
	defer func() {
		if err != nil {
			open.close()
		}
	}()
	if open.web, err = s.listen(ctx); err != nil {
		return open, err
	}
	if open.web, err = s.listenTURN(ctx, open.web); err != nil {
		return open, err
	}
	if open.metrics, err = s.listenMetrics(ctx); err != nil {
		return open, err
	}
	open.plain, err = s.listenPlain(ctx)
	return open, err
}

func (l listeners) close() {
	for _, listener := range []net.Listener{l.web, l.metrics, l.plain} {
		if listener != nil {
			_ = listener.Close()
		}
	}
}

func (s *Server) listen(ctx context.Context) (net.Listener, error) {
	listener := s.listener
	if listener == nil {
		var err error
		if listener, err = (&net.ListenConfig{}).Listen(ctx, "tcp", s.config.Listen); err != nil {
			return nil, fmt.Errorf("listen on %s (--listen): %w", s.config.Listen, err)
		}
	}
	listener = patient{Listener: s.proxied(listener), patience: patience}
	if !s.config.EndsTLS() {
		return listener, nil
	}
	secured, err := s.secure(listener)
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	return secured, nil
}

func (s *Server) listenMetrics(ctx context.Context) (net.Listener, error) {
	if s.config.MetricsListen == "" {
		return nil, nil //nolint:nilnil // there may be no separate listener
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.config.MetricsListen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s (--metrics-listen): %w", s.config.MetricsListen, err)
	}
	return patient{Listener: listener, patience: patience}, nil
}

// listenPlain opens the listener for HTTP without TLS, where there is one.
func (s *Server) listenPlain(ctx context.Context) (net.Listener, error) {
	if s.config.HTTPListen == "" {
		return nil, nil //nolint:nilnil // there may be no such listener
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.config.HTTPListen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s (--http-listen): %w", s.config.HTTPListen, err)
	}
	return patient{Listener: s.proxied(listener), patience: patience}, nil
}

package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/gate"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// Run serves until ctx ends, then drains: it waits until a balancer has noticed,
// accepts no new connections, finishes requests and notifies people, and after the
// stop timeout everything ends regardless. It calls started once everything answers and
// the background work has begun; started may be nil.
func (s *Server) Run(ctx context.Context, started func()) error {
	open, err := s.listenAll(ctx)
	if err != nil {
		return err
	}
	defer open.close()
	listen := open.web.Addr().String()
	s.node.Self.Listen, s.node.Self.Name = listen, s.nodeName(listen)
	if err := s.node.Join(ctx); err != nil {
		return err
	}
	// This comes after everything that can fail: a start that fails, because
	// another service has the port, must not change the links that commands
	// make.
	if err := publishURL(ctx, s.db, s.config.PublicURL); err != nil {
		s.node.Leave(ctx)
		return err
	}
	working := begin(ctx, s.background...)
	defer working.stop()
	telling := begin(ctx, s.Hub.Run)
	defer telling.stop()
	failed := make(chan error, 3)
	web := s.httpServer(s.root(open.metrics == nil), patience)
	go func() { failed <- web.Serve(open.web) }()
	defer s.serveBeside(open.metrics, s.metricsHandler(), failed)()
	defer s.serveBeside(open.plain, s.plainHandler(), failed)()
	s.log.InfoContext(ctx, "the service answers", "address", s.config.PublicURL, "listen", listen)
	s.untilWorking(ctx)
	if started != nil {
		started()
	}
	select {
	case err = <-failed:
		err = fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		err = s.waitForBalancer(ctx, failed)
		s.log.InfoContext(ctx, "stopping: finishing requests and notifying people")
	}
	s.drain(ctx, web)
	s.finish(ctx, working, telling)
	return err
}

// work is background work that has begun.
type work struct {
	stop func()
	done *sync.WaitGroup
}

// begin begins background work. It does not end with ctx, but when it is stopped.
func begin(ctx context.Context, runs ...func(context.Context)) work {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	w := work{stop: stop, done: &sync.WaitGroup{}}
	for _, run := range runs {
		w.done.Go(func() { run(ctx) })
	}
	return w
}

func (w work) end() {
	w.stop()
	w.done.Wait()
}

// untilWorking waits for the first round of the background work, until which /readyz
// says that the service is not ready; not longer than a check of /readyz may take.
func (s *Server) untilWorking(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for s.jobsReady(ctx) != nil {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// serveBeside serves one more listener, or none if it is nil. The function that
// it returns stops the listener.
func (s *Server) serveBeside(listener net.Listener, h http.Handler, failed chan<- error) (end func()) {
	if listener == nil {
		return func() {}
	}
	server := s.besideServer(h, beside)
	go func() { failed <- server.Serve(listener) }()
	return func() { _ = server.Close() }
}

// beside is how long a request to one more listener may take to arrive. Nothing there
// takes a body, but net/http waits for one before it answers. Elsewhere the edge limits
// that, because recordings take longer.
const beside = 30 * time.Second

func (s *Server) besideServer(h http.Handler, within time.Duration) *http.Server {
	server := s.httpServer(rest.WithRequestID(h), patience)
	server.ReadTimeout = within
	return server
}

// waitForBalancer drains the node, and answers everything for some time more, while
// /readyz says that the service stops. A balancer in front learns that way to send
// requests elsewhere, before the first one is refused. Without a delay it only drains.
func (s *Server) waitForBalancer(ctx context.Context, failed <-chan error) error {
	s.stopping.Store(true)
	s.drainMedia(true) // new meetings begin on other nodes
	if s.config.DrainDelay == 0 {
		return nil
	}
	s.log.InfoContext(ctx, "about to stop: waiting until the balancer has noticed", "seconds", s.config.DrainDelay.Seconds())
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-time.After(s.config.DrainDelay):
		return nil
	}
}

// httpServer makes a server that bounds what a slow or hostile client can hold: headers
// by ten seconds, bodies by the edge's size limit. The time of a whole answer is not
// bounded, because event streams and WebSockets last for hours; the time of each write
// is (patience.go).
//
// A browser sends everything on one connection of HTTP/2. Uploads that nobody reads for
// a while, since the store behind them is slow, must leave room for the messages of the
// meeting: it takes eight of them to fill what a connection may hold.
func (s *Server) httpServer(h http.Handler, patience time.Duration) *http.Server {
	return &http.Server{
		Handler: webSocketStreams(patientStreams(h, patience), gate.IsSocket, patience), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		HTTP2:    &http.HTTP2Config{MaxReceiveBufferPerStream: 512 << 10, MaxReceiveBufferPerConnection: 4 << 20},
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// drain ends the connections of people and machines: streams say that the
// service restarts, the gate closes connections so that devices come back, and
// requests finish.
func (s *Server) drain(ctx context.Context, web *http.Server) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.StopTimeout*7/10)
	defer cancel()
	s.Drain()
	var ends sync.WaitGroup
	ends.Go(func() {
		if err := s.gate.Shutdown(ctx); err != nil {
			s.log.WarnContext(ctx, "some media connections had to be cut", "error", err)
		}
	})
	ends.Go(func() {
		if err := web.Shutdown(ctx); err != nil {
			s.log.WarnContext(ctx, "some requests had to be cut", "error", err)
			_ = web.Close()
		}
	})
	ends.Go(func() { s.Webhooks.Jobs.Quiesce(ctx) })
	ends.Wait()
}

// Handler answers all requests of the service. Run serves it, and so do tests
// that set the clock and run the background work themselves.
func (s *Server) Handler() http.Handler { return s.root(true) }

// Drain announces that the service stops: in /readyz, and to the devices that
// follow a meeting.
func (s *Server) Drain() {
	s.stopping.Store(true)
	if !s.draining.Swap(true) {
		close(s.drained)
	}
}

// finish stops the media server and the background work, and closes the
// database last. What the background work writes at its end wakes the other nodes, so
// telling ends after it. The media server does not wait for that: a database that is lost
// may take all of the time.
func (s *Server) finish(ctx context.Context, working, telling work) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.config.StopTimeout*3/10)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		working.end()
		s.Live.Settle()
		var told sync.WaitGroup
		told.Go(telling.end)
		s.Close()
		told.Wait()
	}()
	select {
	case <-done:
		s.log.InfoContext(ctx, "stopped")
	case <-ctx.Done():
		s.log.WarnContext(ctx, "stopped before everything had ended", "error", context.Cause(ctx))
	}
}

// Close closes what New opened. Run calls it by itself.
func (s *Server) Close() {
	s.closeOnce.Do(func() {
		s.checked.wait()
		for _, c := range s.closers {
			if err := c(); err != nil && !errors.Is(err, net.ErrClosed) {
				s.log.Warn("closing", "error", err)
			}
		}
	})
}

// DB is the service's database, for tests that look behind the API.
func (s *Server) DB() *db.DB { return s.db }

package servertest

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/rest/resttest"
	"github.com/conclave-rooms/conclave/internal/server"
)

// PublicURL is the address of every service in a test, so that expectations can
// name it. Requests really go to the test's own listener.
const PublicURL = "https://meet.example.com"

// Epoch is when every test begins: a Friday morning.
var Epoch = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)

// Options change how a service runs in a test.
type Options struct {
	RateLimits bool // enables limits; otherwise they are off, because on a clock that stands still they would soon refuse everything
	// AllowPrivate lets webhooks and calendars use addresses on this machine.
	AllowPrivate bool
	// Calendars are the providers with which the service is registered.
	Calendars config.Calendars
	// OIDCIssuer is the identity provider; empty: none.
	OIDCIssuer string
	// SmallQuotas limits a recording to 3000 bytes, and those of a workspace to
	// 5000.
	SmallQuotas bool
	// BlobURL is the bucket of recordings; empty: files.
	BlobURL string
	// Log receives the service's log; nil: nothing does.
	Log slog.Handler
	// Outbound is how webhooks resolve and trust their receivers. By default no
	// name resolves.
	Outbound outbound.Config

	asked    func(query string) // gets the text of every statement
	machines *machines
	wall     func() time.Time
}

// Service is the whole service under test.
type Service struct {
	*server.Server

	Media *fake.Server

	t         testing.TB
	config    config.Serve
	now       atomic.Int64     // milliseconds since 1970
	machines  *machines        // nil: now is the clock of everything
	wall      func() time.Time // the clock of this node's machine
	outbound  outbound.Config
	log       *slog.Logger
	asked     func(query string)
	web       *httptest.Server
	client    *http.Client
	documents []*resttest.Document // the API's first
	handler   atomic.Pointer[http.Handler]
	stopped   atomic.Bool
	stop      func()
	streams   sync.WaitGroup // those that clients of this test hold open
	following sync.Map       // what to close when the service has noticed the end of one, by its number
}

// Start runs a service on a database, until the end of the test.
func Start(t testing.TB, where db.Config, o Options) *Service {
	t.Helper()
	s := new(Service)
	s.t = t
	s.config = config.Serve{
		Data:       config.Data{Data: where.Dir, DatabaseURL: where.URL, PublicURL: PublicURL},
		RateLimits: "off", StopTimeout: 10 * time.Second,
	}
	s.config.WebhooksAllowPrivate = o.AllowPrivate
	s.config.Calendars = o.Calendars
	s.config.BlobURL = o.BlobURL
	s.config.OIDCIssuer, s.config.OIDCClientID = o.OIDCIssuer, "conclave"
	if o.SmallQuotas {
		s.config.RecordingMaxBytes, s.config.WorkspaceRecordingsMaxBytes = 3000, 5000
	}
	s.config.CalendarsAllowPrivate = o.AllowPrivate
	if s.outbound = o.Outbound; s.outbound.Resolver == nil {
		s.outbound.Resolver = &net.Resolver{PreferGo: true, Dial: noNames}
	}
	s.asked, s.machines, s.wall = o.asked, o.machines, o.wall
	s.log = slog.New(slog.DiscardHandler)
	if o.Log != nil {
		s.log = slog.New(o.Log)
	}
	if o.RateLimits {
		s.config.RateLimits = "on"
		s.config.TrustedProxy = []string{"127.0.0.1/32"} // X-Forwarded-For then sets the address of a request
	}
	s.now.Store(Epoch.UnixMilli())
	s.Media = fake.New(s.Now)
	s.web = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.stop()
		s.web.Close()
	})
	s.open()
	return s
}

// AnotherNode starts a second node of the same service: on the same database,
// with the same media server. Its clock starts at this one's time.
func (s *Service) AnotherNode() *Service { return s.nodeOn(s.wall) }

// nodeOn is AnotherNode on a machine with a clock of its own.
func (s *Service) nodeOn(wall func() time.Time) *Service {
	s.t.Helper()
	n := new(Service)
	n.t, n.config, n.Media, n.outbound, n.log = s.t, s.config, s.Media, s.outbound, s.log
	n.machines, n.wall = s.machines, wall
	n.now.Store(s.now.Load())
	n.web = httptest.NewServer(http.HandlerFunc(n.serve))
	s.t.Cleanup(func() {
		n.stop()
		n.web.Close()
	})
	n.open()
	return n
}

// open starts the service on its data.
func (s *Service) open() {
	s.t.Helper()
	o := server.Options{Now: s.Now, Later: later, Media: s.Media, Version: "test", Outbound: s.outbound, Asked: s.asked}
	if s.machines != nil {
		o.Now, o.Wall = nil, s.wall
	}
	opened, err := server.New(context.Background(), s.config, s.log, o)
	if err != nil {
		s.t.Fatalf("start the service: %v", err)
	}
	s.Server = opened
	if err := opened.Stream.NobodyFollows(context.Background()); err != nil {
		s.t.Fatalf("start the service: %v", err)
	}
	handler := opened.Handler()
	s.handler.Store(&handler)
	s.documents = []*resttest.Document{document(s.t, opened.API), document(s.t, opened.Meet), document(s.t, opened.Account)}
	s.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, Transport: resttest.Transport(s.t, s.web.Client().Transport, s.documents...)}
	listening, cancel := context.WithCancel(context.Background())
	var hub sync.WaitGroup
	hub.Go(func() { opened.Hub.Run(listening) })
	s.stopped.Store(false)
	s.stop = sync.OnceFunc(func() {
		s.stopped.Store(true)
		opened.Drain()
		s.streams.Wait()
		opened.Live.Settle()
		cancel()
		hub.Wait()
		opened.Close()
	})
}

// later does nothing, because Advance runs what has become due.
func later(time.Duration, func()) {}

// noNames is a resolver's connection to its server that always fails.
func noNames(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("no name resolves in this test")
}

// documents are those of the groups, by prefix. Describing a group takes longer
// than most tests, and every service describes it alike.
var documents sync.Map

func document(t testing.TB, group *rest.Group) *resttest.Document {
	t.Helper()
	if known, ok := documents.Load(group.Prefix()); ok {
		return known.(*resttest.Document)
	}
	raw, err := group.Document()
	if err != nil {
		t.Fatalf("describe %s: %v", group.Prefix(), err)
	}
	d, err := resttest.ParseDocument(group.Prefix(), raw)
	if err != nil {
		t.Fatal(err)
	}
	documents.Store(group.Prefix(), d)
	return d
}

// Stop stops the service as SIGTERM does. The media server keeps running, like
// an external one.
func (s *Service) Stop() { s.stop() }

// Reopen starts the service on its data again, a second later.
func (s *Service) Reopen() {
	s.t.Helper()
	s.now.Add(time.Second.Milliseconds())
	s.open()
	s.Tick()
}

// Now is the time of the service's clock.
func (s *Service) Now() time.Time {
	if s.machines != nil {
		return s.DB().Now()
	}
	return time.UnixMilli(s.now.Load()).UTC()
}

// Advance moves the clock and runs everything that is due then.
func (s *Service) Advance(d time.Duration) {
	s.Pass(d)
	s.Tick()
}

// Pass moves the clock and runs nothing.
func (s *Service) Pass(d time.Duration) {
	if s.machines != nil {
		s.machines.pass(d)
		return
	}
	s.now.Add(d.Milliseconds())
}

// Tick lets the service compare itself with the media server, as it does every
// few seconds while it is not stopped.
func (s *Service) Tick() {
	if s.stopped.Load() {
		return
	}
	if err := s.Stream.NoteAway(s.t.Context()); err != nil {
		s.t.Fatalf("note who went away: %v", err)
	}
	if err := s.Joins.Expire(s.t.Context()); err != nil {
		s.t.Fatalf("end the waiting: %v", err)
	}
	if err := s.Breakouts.Expire(s.t.Context()); err != nil {
		s.t.Fatalf("end the breakouts: %v", err)
	}
	s.Live.Tick(s.t.Context())
	s.Settle()
	if err := s.Groups.Check(s.t.Context()); err != nil {
		s.t.Fatalf("check the groups: %v", err)
	}
	if err := s.Recordings.Check(s.t.Context()); err != nil {
		s.t.Fatalf("look at the recordings: %v", err)
	}
	s.Settle()
}

// Forget deletes what is too old, as the service does every hour.
func (s *Service) Forget() {
	s.t.Helper()
	for _, forget := range []func(context.Context) error{s.Webhooks.Forget, s.PastEvents.Forget, s.Live.Forget, s.Joins.Forget, s.Breakouts.Forget, s.Recordings.Forget, s.Groups.Forget, s.Schedule.Forget} {
		if err := forget(s.t.Context()); err != nil {
			s.t.Fatalf("forget what is too old: %v", err)
		}
	}
}

// Count counts the rows of a table that meet a condition.
func (s *Service) Count(from string, args ...any) (rows int) {
	s.t.Helper()
	err := s.DB().Read(s.t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(s.t.Context(), `SELECT COUNT(*) FROM `+from, args...).Scan(&rows)
	})
	if err != nil {
		s.t.Fatalf("count %s: %v", from, err)
	}
	return rows
}

// Settle lets the service handle every hint of the media server until nothing
// is left to do, and then delivers the webhooks that are due.
func (s *Service) Settle() {
	for {
		s.Live.Quiesce()
		select {
		case h := <-s.Media.Hints():
			s.Live.HandleHint(h)
			continue
		default:
		}
		if s.stopped.Load() {
			return
		}
		if err := s.Webhooks.Recoveries.Settle(s.t.Context()); err != nil {
			s.t.Fatalf("recover webhooks: %v", err)
		}
		if err := s.Webhooks.Jobs.Settle(s.t.Context()); err != nil {
			s.t.Fatalf("deliver webhooks: %v", err)
		}
		if err := s.Calendars.Jobs.Settle(s.t.Context()); err != nil {
			s.t.Fatalf("write to calendars: %v", err)
		}
		if err := s.Recordings.Jobs.Settle(s.t.Context()); err != nil {
			s.t.Fatalf("delete parts of recordings: %v", err)
		}
		return
	}
}

package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/breakout"
	"github.com/conclave-rooms/conclave/internal/cert"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/docs"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/gate"
	"github.com/conclave-rooms/conclave/internal/group"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/join"
	"github.com/conclave-rooms/conclave/internal/live"
	"github.com/conclave-rooms/conclave/internal/mail"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
	"github.com/conclave-rooms/conclave/internal/media/turn"
	"github.com/conclave-rooms/conclave/internal/node"
	"github.com/conclave-rooms/conclave/internal/notify"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/poll"
	"github.com/conclave-rooms/conclave/internal/probe"
	"github.com/conclave-rooms/conclave/internal/recording"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/feed"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
	"github.com/conclave-rooms/conclave/internal/seal"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
	"github.com/conclave-rooms/conclave/internal/webhook"
	"github.com/conclave-rooms/conclave/web"
)

// Server is the whole service.
type Server struct {
	config  config.Serve
	log     *slog.Logger
	db      *db.DB
	media   media.Server
	hints   http.Handler // receives the webhooks of an external LiveKit; nil without one
	claimed *db.Claim    // nil with the media server of a test
	blobs   *blob.Store
	edge    *rest.Edge
	gate    *gate.Gate
	metrics *metrics
	traces  *traces // nil: they are off

	// These are nil with an external media server.
	embedded *livekit.Embedded
	suspects *gate.Suspects
	turn     *turn.Server

	// drainMedia says whether the embedded media server should leave new rooms to other
	// nodes of its cluster. It does nothing where there is no such cluster.
	drainMedia func(draining bool)

	certificates *cert.Certificates // nil unless the service gets them by itself

	reference http.Handler // the pages under /docs
	site      http.Handler // the meeting interface

	// The features, for the command line and for tests.
	Identity   *identity.Service
	Rooms      *room.Service
	Live       *live.Service
	Stream     *stream.Service
	Joins      *join.Service
	Probes     *probe.Service
	Breakouts  *breakout.Service
	Polls      *poll.Service
	Recordings *recording.Service
	Groups     *group.Service
	Schedule   *schedule.Service
	Calendars  *mirror.Service
	Feeds      *feed.Service
	Hub        *notify.Hub
	Events     *event.Log
	PastEvents *event.Service
	Webhooks   *webhook.Service
	API        *rest.Group
	Meet       *rest.Group
	Account    *rest.Group

	checked           checked // of /readyz
	background        []func(context.Context)
	listener          net.Listener // nil: Run opens one
	closers           []func() error
	closeOnce         sync.Once
	stopping          atomic.Bool  // /readyz says so
	draining          atomic.Bool  // people are told to connect again
	drainedBy         atomic.Value // a node.Reason: why no new people should come here
	connections       atomic.Int64 // open at the gate
	certificateExpiry atomic.Int64 // in seconds since 1970
	node              *node.Keeper
	drained           chan struct{}
}

// Options are what tests replace.
type Options struct {
	Now   func() time.Time                // nil: the database's clock
	Wall  func() time.Time                // this machine's clock; nil: Now, or the real one
	Later func(d time.Duration, f func()) // nil: the real clock's timers
	Media media.Server                    // nil: as configured
	// Listener is where the service listens; nil: Run opens a listener.
	Listener net.Listener
	// Outbound is how requests to other servers resolve and trust them.
	Outbound outbound.Config
	// Asked, if it is not nil, gets the text of every statement to the database.
	Asked   func(query string)
	Version string
}

// New opens everything and connects it. Close closes it, and so does Run at its
// end.
func New(ctx context.Context, c config.Serve, log *slog.Logger, o Options) (*Server, error) {
	s := &Server{config: c, log: log, listener: o.Listener, metrics: newMetrics(), drained: make(chan struct{}), drainMedia: func(bool) {}}
	if err := s.open(ctx, o); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// open opens the database and the media server and wires the features.
func (s *Server) open(ctx context.Context, o Options) (err error) {
	c := s.config
	o = o.withClocks()
	limits, err := s.readSettings()
	if err != nil {
		return err
	}
	if s.traces, err = s.startTraces(ctx, c.Traces, o.Version); err != nil {
		return err
	}
	if s.db, err = db.Open(ctx, db.Config{URL: c.DatabaseURL, Connections: c.DatabaseConnections, Dir: c.Data.Data, Logger: s.log, Asked: o.Asked, Observe: s.metrics.transacted, Wall: o.Wall}); err != nil {
		return err
	}
	s.closers = append(s.closers, func() error { s.db.Close(); return nil })
	if o.Now == nil {
		o.Now = s.db.Now
	}
	sealer, err := OpenSealer(ctx, s.db, c.Data)
	if err != nil {
		return err
	}
	if err := s.openCertificates(ctx, sealer, o.Now); err != nil {
		return err
	}
	keys, err := deriveKeys(sealer)
	if err != nil {
		return err
	}
	if err := s.openBlobs(ctx); err != nil {
		return err
	}
	if c.MediaURL != "" {
		keys.join.Upstream = []byte(c.MediaAPISecret)
	}
	if s.media = o.Media; s.media == nil {
		if err := s.startMedia(ctx, string(keys.join.Upstream), o.Wall); err != nil {
			return err
		}
	}
	mailer, err := NewMailer(c.Mail, o.Now)
	if err != nil {
		return err
	}
	s.wire(sealer, keys, mailer, limits, o)
	return s.layOutPages()
}

// readSettings reads what the settings hold or name, so that a mistake there is
// refused before the first start has made a database and a key.
func (s *Server) readSettings() (rest.Limits, error) {
	if s.config.TLSCert != "" {
		if _, err := s.certificateInFiles().get(nil); err != nil {
			return rest.Limits{}, err
		}
	}
	limits, err := rest.ParseLimits(s.config.RateLimits)
	if err != nil {
		return rest.Limits{}, fmt.Errorf("read --rate-limits: %w", err)
	}
	return limits, nil
}

// withClocks returns the options with this machine's clock and timers where none are set.
// The clock of the database follows once it is open.
func (o Options) withClocks() Options {
	if o.Wall == nil {
		o.Wall = o.Now // tests set one clock for everything
	}
	if o.Wall == nil {
		o.Wall = time.Now //nolint:forbidigo // the one place where this machine's clock comes from
	}
	if o.Later == nil {
		o.Later = func(d time.Duration, f func()) { time.AfterFunc(d, f) }
	}
	return o
}

// layOutPages prepares the pages that people open.
func (s *Server) layOutPages() (err error) {
	s.reference, err = docs.Handler([]docs.Source{
		{Title: "API", URL: "/api/v1/openapi.json"},
		{Title: "Meeting protocol", URL: "/meet/v1/openapi.json"},
		{Title: "Accounts", URL: "/account/v1/openapi.json"},
	})
	if err != nil {
		return fmt.Errorf("lay out the API reference: %w", err)
	}
	s.site, err = newSite(web.Dist(), s.config.FrameAncestor)
	if err != nil {
		return fmt.Errorf("lay out the meeting interface: %w", err)
	}
	return nil
}

// wire builds the features and connects them, from the lowest to the highest. A
// feature is connected to higher ones by hooks, which are called once all are there.
func (s *Server) wire(sealer *seal.Sealer, keys derivedKeys, mailer *mail.Sender, limits rest.Limits, o Options) {
	s.wireEvents(sealer, o)
	s.wireIdentity(sealer, mailer, o)
	s.wireStream(o)
	s.wireLive(o)
	s.wireActivities(sealer, keys, o)
	s.Schedule = &schedule.Service{DB: s.db, Events: s.Events, Now: o.Now, Logger: s.log, PublicURL: s.config.PublicURL, OnChange: nil, OnManyChanged: nil, MostMeetings: 0}
	s.Hub.OnReconnect = func() { s.Stream.ReadAnew(); s.Schedule.ReadAnew() }
	s.wireCalendars(sealer, mailer, o)
	s.wireRooms(o)
	s.wireJoins(sealer, keys, o)
	s.wireProbes(keys, o)
	s.wireGate()
	s.edge = s.newEdge(sealer, limits, o)
	s.followMedia()
	s.mount()
	s.node = s.nodeKeeper(o)
	s.measure(o.Version)
	s.background = s.backgroundWork()
}

// wireEvents builds what tells others about changes: wake-ups for the nodes, and
// the log of events with its webhooks for customers.
func (s *Server) wireEvents(sealer *seal.Sealer, o Options) {
	s.Hub = notify.New(s.db, s.log)
	s.Events = &event.Log{Now: o.Now}
	s.PastEvents = &event.Service{DB: s.db, Log: s.Events, Logger: s.log}
	s.wireWebhooks(sealer, o)
}

// wireIdentity builds accounts and workspaces.
func (s *Server) wireIdentity(sealer *seal.Sealer, mailer *mail.Sender, o Options) {
	s.Identity = &identity.Service{
		DB: s.db, Now: o.Now, Logger: s.log, PublicURL: s.config.PublicURL, Sealer: sealer, Mail: mailer, OIDC: openIDConnect(s.config),
		OnStanding: func(ctx context.Context, tx *db.Tx, workspaceID, accountID string) error {
			return errors.Join(s.Joins.StandingChanged(ctx, tx, workspaceID, accountID), s.Calendars.StandingChanged(ctx, tx, workspaceID, accountID))
		},
	}
}

// wireStream builds the streams to people's devices.
func (s *Server) wireStream(o Options) {
	s.Stream = &stream.Service{
		DB: s.db, Hub: s.Hub, Now: o.Now, Logger: s.log, PublicURL: s.config.PublicURL, Draining: s.drained,
		MayKnow: func(ctx context.Context, tx *db.Tx, r room.Room, held seat.Seat) (bool, error) {
			return s.Joins.MayKnow(ctx, tx, r, held)
		},
		OnChange: func(ctx context.Context, tx *db.Tx, roomID string) error {
			return s.Groups.SeatsChanged(ctx, tx, roomID)
		},
		Boards: nil, // wireActivities sets them
	}
}

// wireLive builds the running meeting.
func (s *Server) wireLive(o Options) {
	s.Live = &live.Service{
		DB: s.db, Events: s.Events, Media: s.media, Stream: s.Stream, Now: o.Now, Later: o.Later, Logger: s.log,
		PublicURL: s.config.PublicURL,
		Cut:       func(identity string) { s.gate.Disconnect(identity) },
		UpdateRoom: func(ctx context.Context, tx *db.Tx, before room.Room, u api.RoomUpdate) (room.Room, error) {
			return s.Rooms.Change(ctx, tx, before, u)
		},
		OnEnd: func(ctx context.Context, tx *db.Tx, r room.Room) error {
			return errors.Join(s.Breakouts.MeetingEnds(ctx, tx, r), s.Recordings.MeetingEnds(ctx, tx, r), s.Groups.MeetingEnds(ctx, tx, r))
		},
		OnCompared: s.metrics.compared,
		Takes:      func(roomID string, round int) bool { return s.node.Takes(roomID, round) },
		OnRename: func(ctx context.Context, tx *db.Tx, renamed seat.Seat) error {
			return errors.Join(s.Breakouts.Renamed(ctx, tx, renamed), s.Polls.Renamed(ctx, tx, renamed), s.Recordings.Renamed(ctx, tx, renamed))
		},
		PlaceOf: func(ctx context.Context, tx *db.Tx, roomID, person string) (string, error) {
			return s.Breakouts.PlaceOf(ctx, tx, roomID, person)
		},
		OnHostJoined: func(ctx context.Context, tx *db.Tx, r room.Room) error { return s.Joins.Reconsider(ctx, tx, r) },
	}
}

// wireActivities builds breakouts, polls, recordings and groups, and adds them to the
// streams.
func (s *Server) wireActivities(sealer *seal.Sealer, keys derivedKeys, o Options) {
	s.Breakouts = &breakout.Service{DB: s.db, Events: s.Events, Live: s.Live, Stream: s.Stream, Now: o.Now, Logger: s.log, Shuffle: rand.Shuffle}
	s.Polls = &poll.Service{DB: s.db, Events: s.Events, Hub: s.Hub, Stream: s.Stream, Sealer: sealer, Now: o.Now, Logger: s.log}
	s.wireRecordings(sealer, o)
	s.Groups = &group.Service{DB: s.db, Stream: s.Stream, Now: o.Now, Logger: s.log, Key: keys.statements}
	s.Stream.Boards = []stream.Board{s.Breakouts.Board(), s.Polls.Board(), s.Recordings.Board(), s.Groups.Board()}
}

// wireRooms builds the rooms.
func (s *Server) wireRooms(o Options) {
	s.Rooms = &room.Service{
		DB: s.db, Events: s.Events, Now: o.Now, PublicURL: s.config.PublicURL,
		MeetingRunning: seat.Running,
		OnUpdate: func(ctx context.Context, tx *db.Tx, r room.Room) error {
			return errors.Join(s.Live.RoomChanged(ctx, tx, r), s.Joins.Reconsider(ctx, tx, r))
		},
		OnDelete: func(ctx context.Context, tx *db.Tx, r room.Room) error {
			return errors.Join(s.Live.RoomDeleted(ctx, tx, r), s.Polls.RoomDeleted(ctx, tx, r), s.Schedule.RoomDeleted(ctx, tx, r))
		},
	}
}

// backgroundWork is what runs beside the requests, each until its context ends. Hub.Run
// goes on until all of it has ended.
func (s *Server) backgroundWork() []func(context.Context) {
	work := []func(context.Context){
		s.db.Run, s.Identity.Run, s.Live.Run, s.Stream.Run, s.Joins.Run, s.Breakouts.Run, s.Polls.Run,
		s.Recordings.Run, s.Recordings.Tidy, s.Recordings.Jobs.Run, s.Groups.Run, s.Schedule.Run, s.edge.Run,
		s.Webhooks.Jobs.Run, s.Webhooks.Recoveries.Run, s.Webhooks.Run, s.PastEvents.Run, s.Calendars.Jobs.Run, s.node.Run,
	}
	if s.certificates != nil {
		work = append(work, s.certificates.Run)
	}
	return work
}

// NewMailer makes the sender of mails; nil where none is configured.
func NewMailer(c config.Mail, now func() time.Time) (*mail.Sender, error) {
	if c.SMTPURL == "" {
		return nil, nil //nolint:nilnil // there may be no mail
	}
	sender, err := mail.New(c.SMTPURL, c.MailFrom, now)
	if err != nil {
		return nil, fmt.Errorf("set up mail: %w", err)
	}
	return sender, nil
}

// openIDConnect is the configured identity provider; nil without one.
func openIDConnect(c config.Serve) *identity.OIDC {
	if c.OIDCIssuer == "" {
		return nil
	}
	return &identity.OIDC{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret,
		RedirectURL: c.PublicURL + "/account/v1/oidc/callback", Client: &http.Client{Timeout: 10 * time.Second},
	}
}

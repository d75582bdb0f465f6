package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/mail"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/feed"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// calendarSlots is how many entries are written to one calendar at the same
// time.
const calendarSlots = 4

// wireCalendars builds the part that writes meetings to people's own calendars,
// and connects it to changes of meetings.
func (s *Server) wireCalendars(sealer *seal.Sealer, mailer *mail.Sender, o Options) {
	out := o.Outbound
	out.UserAgent = "Conclave-Calendars/" + o.Version
	public := outbound.New(out) // Google and Microsoft never have private addresses
	out.AllowPrivate = s.config.CalendarsAllowPrivate
	client := outbound.New(out)
	s.closers = append([]func() error{func() error { public.Close(); client.Close(); return nil }}, s.closers...)
	if out.AllowPrivate {
		s.log.Warn("people can connect calendars at private addresses and over http", "flag", "--calendars-allow-private")
	}
	s.Calendars = &mirror.Service{
		DB: s.db, Schedule: s.Schedule, Identity: s.Identity, Sealer: sealer, Client: client, Mail: mailer, Now: o.Now, Logger: s.log,
		PublicURL: s.config.PublicURL, Providers: calendarProviders(s.config, public, o.Now), ConnectWithin: 0,
		Jobs: job.New(job.Config{
			Name: "calendar", Slots: calendarSlots, DB: s.db, Now: o.Now, Logger: s.log, Draining: s.drained,
			Handle: func(ctx context.Context, j job.Job) job.Result { return s.Calendars.Do(ctx, j) },
		}),
	}
	s.Schedule.OnChange, s.Schedule.OnManyChanged = s.Calendars.Changed, s.Calendars.ManyChanged
	s.Feeds = &feed.Service{DB: s.db, Schedule: s.Schedule, Identity: s.Identity, Sealer: sealer, Now: o.Now, PublicURL: s.config.PublicURL}
}

func calendarProviders(c config.Serve, client *outbound.Client, now func() time.Time) mirror.Providers {
	var p mirror.Providers
	if c.GoogleClientID != "" {
		p.Google = mirror.NewGoogle(client, now, c.PublicURL, c.GoogleClientID, c.GoogleClientSecret)
	}
	if c.MicrosoftClientID != "" {
		p.Microsoft = mirror.NewMicrosoft(client, now, c.PublicURL, c.MicrosoftClientID, c.MicrosoftClientSecret, c.MicrosoftTenant)
	}
	return p
}

// feedHandler serves calendar feeds. It limits requests per account and, for
// unknown addresses, per caller.
func (s *Server) feedHandler() http.Handler {
	return &feed.Handler{
		Feeds: s.Feeds, Logger: s.log,
		Count: func(r *http.Request, accountID string) time.Duration {
			return s.edge.CountFor(r, rest.ClassCalendarFeed, accountID)
		},
		Guessed: func(r *http.Request) { s.edge.Count(r, rest.ClassFailedAttempts) },
		Wait:    func(r *http.Request) time.Duration { return s.edge.Wait(r, rest.ClassFailedAttempts) },

		OfAccount: limit.NewTurns(feed.AtOnceOfAccount), OfAll: limit.NewTurns(feed.AtOnce), Patience: 0,
	}
}

// PromiseCalendars connects calendars for a command. A command only queues the
// writes; the service makes them.
func PromiseCalendars(d *db.DB, people *identity.Service, sealer *seal.Sealer, client *outbound.Client, publicURL string, now func() time.Time, log *slog.Logger) *mirror.Service {
	return &mirror.Service{
		DB: d, Identity: people, Sealer: sealer, Client: client, Now: now, Logger: log, PublicURL: publicURL,
		Schedule: &schedule.Service{DB: d, Events: nil, Now: now, Logger: log, PublicURL: publicURL, OnChange: nil, OnManyChanged: nil, MostMeetings: 0},
		Mail:     nil, Providers: mirror.Providers{}, ConnectWithin: 0,
		Jobs: job.New(job.Config{Name: "calendar", Slots: calendarSlots, DB: d, Now: now, Logger: log, Draining: nil, Handle: nil}),
	}
}

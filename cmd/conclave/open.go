package main

import (
	"context"
	"errors"

	"github.com/conclave-rooms/conclave/internal/breakout"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/group"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/join"
	"github.com/conclave-rooms/conclave/internal/live"
	"github.com/conclave-rooms/conclave/internal/notify"
	"github.com/conclave-rooms/conclave/internal/recording"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/stream"
	"github.com/conclave-rooms/conclave/internal/webhook"
)

// desk is what administrative commands work with: the database itself, so that
// they work whether the service runs or not.
type desk struct {
	db       *db.DB
	identity *identity.Service
	rooms    *room.Service
	events   *event.Log
	webhooks *webhook.Service
	hub      *notify.Hub

	calendars  *mirror.Service    // lists and disconnects; connecting needs a sealer
	recordings *recording.Service // lists; reading needs a sealer and the parts
}

// open opens the data of the service. Links get the address with which the
// service was last started, unless the command names another one.
func (c *common) open(ctx context.Context, o *output) (*desk, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	log := o.logger("text", "warn")
	where := db.Config{URL: c.DatabaseURL, Dir: c.Data.Data, Logger: log}
	if !c.begins {
		if err := where.Begun(); err != nil {
			return nil, err
		}
	}
	d, err := db.Open(ctx, where)
	if err != nil {
		return nil, err
	}
	if c.PublicURL == "" {
		if c.PublicURL, err = server.PublishedURL(ctx, d); err != nil {
			d.Close()
			return nil, err
		}
	}
	events := &event.Log{Now: d.Now}
	people := &identity.Service{DB: d, Now: d.Now, Logger: log, PublicURL: c.PublicURL, Mail: nil, OIDC: nil, Sealer: nil, OnStanding: nil}
	// A person who becomes a host, or is no longer a member, may be in a
	// meeting. The command changes the meeting's rows at once; the running
	// service then updates the media server and people's devices.
	hub := notify.New(d, log)
	devices := &stream.Service{
		DB: d, Hub: hub, Now: d.Now, Logger: log, PublicURL: c.PublicURL, Draining: nil, Boards: nil, MayKnow: nil, OnChange: nil,
	}
	devices.OnChange = (&group.Service{DB: d, Stream: devices, Now: d.Now, Logger: log, Key: nil}).SeatsChanged
	meetings := &live.Service{
		DB: d, Events: events, Stream: devices, Now: d.Now, Logger: log, PublicURL: c.PublicURL, OnHostJoined: nil, OnRename: nil, OnCompared: nil, Later: nil, Takes: nil,
		Media: nil, Cut: nil, UpdateRoom: nil, OnEnd: nil,
		PlaceOf: new(breakout.Service).PlaceOf,
	}
	meetings.Settle() // there is no media server to compare with
	joins := &join.Service{
		Keys: join.Keys{}, DB: d, Passphrases: nil, Stream: devices, Identity: people, Now: d.Now, PublicURL: c.PublicURL, Logger: log, Next: nil, OnLetIn: nil, Connect: nil, WriteFile: nil, UpdateRoom: nil,
		PlaceOf: new(breakout.Service).PlaceOf, SetRole: meetings.SetRole,
	}
	calendars := server.PromiseCalendars(d, people, nil, nil, c.PublicURL, d.Now, log)
	people.OnStanding = func(ctx context.Context, tx *db.Tx, workspaceID, accountID string) error {
		return errors.Join(joins.StandingChanged(ctx, tx, workspaceID, accountID), calendars.StandingChanged(ctx, tx, workspaceID, accountID))
	}
	meetings.OnHostJoined = joins.Reconsider
	return &desk{
		calendars: calendars, recordings: server.ListRecordings(d, d.Now, log, c.PublicURL),
		db: d, hub: hub, events: events, identity: people, webhooks: server.PromiseWebhooks(d, events, d.Now, log),
		rooms: &room.Service{
			DB: d, Events: events, Now: d.Now, PublicURL: c.PublicURL,
			// Commands make and list rooms; when a room changes, the running
			// service updates its meeting.
			MeetingRunning: nil, OnUpdate: nil, OnDelete: nil,
		},
	}, nil
}

// with opens the data for one function.
func (c *common) with(ctx context.Context, o *output, do func(*desk) error) error {
	d, err := c.open(ctx, o)
	if err != nil {
		return err
	}
	defer d.db.Close()
	if err := do(d); err != nil {
		return err
	}
	if err := d.hub.Flush(ctx); err != nil {
		o.logger("text", "warn").WarnContext(ctx, "the running service was not told; it finds the change within seconds", "error", err)
	}
	return nil
}

package event

import (
	"context"
	"log/slog"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/loop"
)

// Service shows the log to customers, and deletes old events.
type Service struct {
	DB     *db.DB
	Log    *Log
	Logger *slog.Logger
}

const (
	// KeepFor is how long events are kept, and the deliveries of webhooks with them
	// (docs/reference/retention.md).
	KeepFor = 30 * 24 * time.Hour
	// forgetEvery is how often old events are deleted.
	forgetEvery = time.Hour
	// someAtOnce is how many events one transaction deletes, so that other
	// writers do not wait long.
	someAtOnce = 500
)

// Oldest is the time since which events are kept. They are deleted a little
// later.
func (l *Log) Oldest() time.Time { return l.Now().Add(-KeepFor) }

// FindIn reads an event of a workspace; it refuses one that is unknown, too old,
// or of another workspace.
func (l *Log) FindIn(ctx context.Context, tx *db.Tx, workspaceID, eventID string) (Event, error) {
	e, err := l.Find(ctx, tx, eventID)
	if fault.HasCode(err, api.CodeNotFound) || err == nil && (e.WorkspaceID != workspaceID || e.CreatedAt.Before(l.Oldest())) {
		return Event{}, fault.Missing()
	}
	return e, err
}

// List reads a page of a workspace's events of the last thirty days, newest
// first. startingAfter is the last event of the page before, "" for the first
// page; kind is "" for every type.
func (s *Service) List(ctx context.Context, p auth.Principal, kind api.EventType, limit int, startingAfter string) ([]Event, bool, error) {
	var events []Event
	read := s.DB.ReadOne
	if startingAfter != "" {
		read = s.DB.Read // two queries
	}
	err := read(ctx, func(tx *db.Tx) (err error) {
		var before *Event
		if startingAfter != "" {
			if at := TimeOf(startingAfter); !at.IsZero() && at.Before(s.Log.Oldest()) {
				return nil // it grew too old between two pages, and so did all that follow
			}
			last, err := s.Log.FindIn(ctx, tx, p.WorkspaceID, startingAfter)
			if fault.HasCode(err, api.CodeNotFound) {
				return fault.BadParameter("starting_after", "starting_after must be the id of an event of this workspace.")
			}
			if err != nil {
				return err
			}
			before = &last
		}
		events, err = s.Log.Recent(ctx, tx, p.WorkspaceID, kind, s.Log.Oldest(), before, limit+1)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if len(events) > limit {
		return events[:limit], true, nil
	}
	return events, false, nil
}

// Get reads one event of a workspace.
func (s *Service) Get(ctx context.Context, p auth.Principal, eventID string) (e Event, err error) {
	err = s.DB.ReadOne(ctx, func(tx *db.Tx) error {
		e, err = s.Log.FindIn(ctx, tx, p.WorkspaceID, eventID)
		return err
	})
	return e, err
}

// Run deletes old events, at intervals, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	loop.Every(ctx, forgetEvery, s.Forget, func(err error) {
		s.Logger.ErrorContext(ctx, "old events could not be deleted; trying again in an hour", "error", err)
	})
}

// Forget deletes the events that are older than thirty days.
func (s *Service) Forget(ctx context.Context) error {
	for {
		var deleted int64
		err := s.DB.WriteLoosely(ctx, func(tx *db.Tx) (err error) {
			deleted, err = s.Log.Forget(ctx, tx, s.Log.Oldest(), someAtOnce)
			return err
		})
		if err != nil || deleted < someAtOnce {
			return err
		}
	}
}

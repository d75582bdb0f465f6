package webhook

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// EventList reads a page of a workspace's events of the last thirty days,
// newest first. startingAfter is the last event of the page before, "" for the
// first page; kind is "" for every type.
func (s *Service) EventList(ctx context.Context, p auth.Principal, kind api.EventType, limit int, startingAfter string) ([]event.Event, bool, error) {
	var events []event.Event
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		var before *event.Event
		if startingAfter != "" {
			if at := event.TimeOf(startingAfter); !at.IsZero() && at.Before(s.oldest()) {
				return nil // the event became too old between two pages, and so did all that follow
			}
			last, err := s.findEvent(ctx, tx, p, startingAfter)
			if fault.HasCode(err, api.CodeNotFound) {
				return fault.BadParameter("starting_after", "starting_after must be the id of an event of this workspace.")
			}
			if err != nil {
				return err
			}
			before = &last
		}
		events, err = s.Events.Recent(ctx, tx, p.WorkspaceID, kind, s.oldest(), before, limit+1)
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

// Event reads one event of a workspace.
func (s *Service) Event(ctx context.Context, p auth.Principal, eventID string) (e event.Event, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		e, err = s.findEvent(ctx, tx, p, eventID)
		return err
	})
	return e, err
}

func (s *Service) findEvent(ctx context.Context, tx *db.Tx, p auth.Principal, eventID string) (event.Event, error) {
	e, err := s.Events.Find(ctx, tx, eventID)
	if fault.HasCode(err, api.CodeNotFound) || err == nil && (e.WorkspaceID != p.WorkspaceID || e.CreatedAt.Before(s.oldest())) {
		return event.Event{}, fault.Missing()
	}
	return e, err
}

// oldest is the time before which events are no longer shown. They are deleted a
// little later.
func (s *Service) oldest() time.Time { return s.Now().Add(-keepFor) }

// object returns an event as the API shows it.
func object(e event.Event) api.Event {
	return api.Event{Object: "event", ID: e.ID, Type: e.Type, CreatedAt: api.At(e.CreatedAt), Data: e.Data}
}

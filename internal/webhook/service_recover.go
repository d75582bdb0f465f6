package webhook

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/job"
)

const (
	// recoverBatch is how many events a recovery reads before it queues the
	// missed ones among them.
	recoverBatch = 200
	// recoverAgain is when a recovery goes on whose batch could not be read.
	recoverAgain = 10 * time.Second
)

func (s *Service) checkSince(since time.Time) error {
	if since.After(s.Now()) {
		return fault.BadParameter("since", "since must not be in the future.")
	}
	return nil
}

// Recover queues the events since a time that an endpoint wants and that were not
// delivered to it: those whose delivery failed, and those from a time when it was
// disabled or did not exist. It returns how many, and leaves the work to a job,
// because there may be hundreds of thousands. Events that a recovery under way is
// going to look at are not counted, and are left to it.
func (s *Service) Recover(ctx context.Context, p auth.Principal, endpointID string, since time.Time) (int, error) {
	if err := s.checkSince(since); err != nil {
		return 0, err
	}
	if oldest := s.Events.Oldest(); since.Before(oldest) {
		since = oldest // older events are about to be deleted
	}
	for {
		missed, done, err := s.tryRecover(ctx, p, endpointID, since)
		if err != nil || done {
			return missed, err
		}
	}
}

// tryRecover begins a recovery, unless nothing is missed; false when another one
// began while the events were counted, and may take some of them. They are counted
// in a read-only transaction, because all requests share one writer.
func (s *Service) tryRecover(ctx context.Context, p auth.Principal, endpointID string, since time.Time) (missed int, done bool, err error) {
	r := recovery{ID: id.New(), EndpointID: endpointID, WorkspaceID: p.WorkspaceID, After: cursor{At: since}}
	var others []recovery
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		to, err := enabledEndpoint(ctx, tx, p.WorkspaceID, endpointID)
		if err != nil {
			return err
		}
		if others, err = recoveriesOf(ctx, tx, endpointID); err != nil {
			return err
		}
		r.Until = openAfter(others)
		missed, err = countMissed(ctx, tx, to, r)
		return err
	})
	if err != nil || missed == 0 {
		return 0, true, err
	}
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		if _, err := enabledEndpoint(ctx, tx, p.WorkspaceID, endpointID); err != nil {
			return err
		}
		now, err := recoveriesOf(ctx, tx, endpointID)
		if done = !joined(others, now); err != nil || !done {
			return err
		}
		if err := insertRecovery(ctx, tx, r); err != nil {
			return err
		}
		return s.Recoveries.Add(ctx, tx, r.ID, endpointID, s.Now())
	})
	return missed, done, err
}

// ContinueRecovery queues the next missed events of a recovery. It searches in
// read-only transactions, because all requests share one writer.
func (s *Service) ContinueRecovery(ctx context.Context, j job.Job) job.Result {
	var (
		r     recovery
		found bool
		part  missedPart
	)
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		r, found, err = findRecovery(ctx, tx, j.ID)
		return err
	})
	for after := r.After; err == nil && found; after = part.last {
		err = s.DB.Read(ctx, func(tx *db.Tx) (err error) {
			part, err = s.findMissed(ctx, tx, r, after)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return job.GiveBack()
		case err != nil:
			continue
		case part.isLast:
			return job.Done(func(ctx context.Context, tx *db.Tx) error {
				if err := s.queueMissed(ctx, tx, r, part.missed); err != nil {
					return err
				}
				return deleteRecovery(ctx, tx, r.ID)
			})
		case len(part.missed) > 0:
			return job.Again(s.Now(), func(ctx context.Context, tx *db.Tx) error {
				if err := s.queueMissed(ctx, tx, r, part.missed); err != nil {
					return err
				}
				return moveRecovery(ctx, tx, r.ID, part.last)
			})
		}
	}
	switch {
	case ctx.Err() != nil:
		return job.GiveBack()
	case err != nil:
		s.Logger.ErrorContext(ctx, "a recovery of missed events cannot go on; trying again in ten seconds", "endpoint", j.Lane, "error", err)
		return job.Again(s.Now().Add(recoverAgain), nil)
	}
	return job.Done(nil)
}

// enabledEndpoint reads an endpoint and refuses a disabled one.
func enabledEndpoint(ctx context.Context, tx *db.Tx, workspaceID, endpointID string) (Endpoint, error) {
	to, err := findEndpoint(ctx, tx, workspaceID, endpointID)
	if err != nil {
		return Endpoint{}, err
	}
	return to, refuseDisabled(to)
}

// isGone says whether an endpoint was refused because it is deleted or disabled.
func isGone(err error) bool {
	return fault.HasCode(err, api.CodeNotFound) || fault.HasCode(err, api.CodeWebhookDisabled)
}

// missedPart is what a recovery found in one batch of events.
type missedPart struct {
	missed []event.Event
	last   cursor // the last event that was read
	isLast bool   // no events follow, or the endpoint wants none any more
}

// findMissed reads a batch of events after a place, and finds those that the
// endpoint wants and that were not delivered to it.
func (s *Service) findMissed(ctx context.Context, tx *db.Tx, r recovery, after cursor) (missedPart, error) {
	to, err := enabledEndpoint(ctx, tx, r.WorkspaceID, r.EndpointID)
	if isGone(err) {
		return missedPart{isLast: true}, nil // deleted or disabled meanwhile
	}
	if err != nil {
		return missedPart{}, err
	}
	events, err := s.Events.List(ctx, tx, event.Filter{
		WorkspaceID: to.WorkspaceID, After: event.Event{ID: after.ID, CreatedAt: after.At}, Limit: recoverBatch,
	})
	if err != nil || len(events) == 0 {
		return missedPart{isLast: true}, err
	}
	known, err := deliveriesOf(ctx, tx, to.ID, events)
	if err != nil {
		return missedPart{}, err
	}
	part := missedPart{isLast: len(events) < recoverBatch}
	for _, e := range events {
		place := cursor{At: e.CreatedAt, ID: e.ID}
		if !r.includes(place) {
			part.isLast = true
			break
		}
		part.last = place
		if d, there := known[e.ID]; to.Wants(e.Type) && (!there || d.Status == statusFailed) {
			part.missed = append(part.missed, e)
		}
	}
	return part, nil
}

// queueMissed queues missed events, unless they were queued meanwhile or the
// endpoint does not want them any more.
func (s *Service) queueMissed(ctx context.Context, tx *db.Tx, r recovery, missed []event.Event) error {
	to, err := enabledEndpoint(ctx, tx, r.WorkspaceID, r.EndpointID)
	if isGone(err) {
		return nil // the next batch finds it gone, too
	}
	if err != nil {
		return err
	}
	known, err := deliveriesOf(ctx, tx, to.ID, missed)
	if err != nil {
		return err
	}
	var fresh []Delivery
	for _, e := range missed {
		d, there := known[e.ID]
		switch {
		case !to.Wants(e.Type): // its subscription was changed
		case !there:
			fresh = append(fresh, s.delivery(to, e.ID, e.Type))
		case d.Status == statusFailed:
			if err := s.requeue(ctx, tx, &d); err != nil {
				return err
			}
		}
	}
	return s.queue(ctx, tx, fresh...)
}

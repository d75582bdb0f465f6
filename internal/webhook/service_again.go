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

// Test sends a test event to an endpoint now, once, whether it is enabled or not.
// The event and its delivery are stored like all others.
func (s *Service) Test(ctx context.Context, p auth.Principal, endpointID string) (api.WebhookTest, error) {
	var (
		to Endpoint
		e  event.Event
	)
	err := s.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if to, err = findEndpoint(ctx, tx, p.WorkspaceID, endpointID); err != nil {
			return err
		}
		e, err = s.Events.Write(ctx, tx, p.WorkspaceID, api.EventWebhookTest, api.WebhookTestEvent{
			Webhook: api.WebhookRef{ID: to.ID, URL: to.URL}, OccurredAt: api.At(s.Now()),
		})
		return err
	})
	if err != nil {
		return api.WebhookTest{}, err
	}
	ctx = context.WithoutCancel(ctx) // store the delivery even if the caller has gone away
	o, err := s.attempt(ctx, to, api.EventEnvelope{ID: e.ID, Type: e.Type, CreatedAt: api.At(e.CreatedAt), Data: e.Data})
	if err != nil {
		return api.WebhookTest{}, err
	}
	d := s.delivery(to, e.ID, e.Type).after(o, false)
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		if _, err := findEndpoint(ctx, tx, p.WorkspaceID, endpointID); err != nil {
			return nil //nolint:nilerr // deleted meanwhile, with its deliveries
		}
		if o.Error == "" {
			if err := succeeding(ctx, tx, endpointID); err != nil {
				return err
			}
		}
		return insertDelivery(ctx, tx, d)
	})
	return api.WebhookTest{Object: "webhook_test", OK: o.Error == "", Status: d.ResponseCode}, err
}

// Resend delivers an event once more. A delivery that is still under way is
// attempted now.
func (s *Service) Resend(ctx context.Context, p auth.Principal, endpointID, deliveryID string) (Delivery, error) {
	var d Delivery
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		to, err := findEndpoint(ctx, tx, p.WorkspaceID, endpointID)
		if err != nil {
			return err
		}
		if d, err = findDelivery(ctx, tx, endpointID, deliveryID); err != nil {
			return err
		}
		if _, err := s.Events.FindIn(ctx, tx, p.WorkspaceID, d.EventID); err != nil {
			return err
		}
		if err := refuseDisabled(to); err != nil {
			return err
		}
		return s.requeue(ctx, tx, &d)
	})
	return d, err
}

// ResendEvent delivers an event to an endpoint once more, or for the first time
// if it was never queued for it.
func (s *Service) ResendEvent(ctx context.Context, p auth.Principal, endpointID, eventID string) (Delivery, error) {
	var d Delivery
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		to, err := findEndpoint(ctx, tx, p.WorkspaceID, endpointID)
		if err != nil {
			return err
		}
		e, err := s.Events.FindIn(ctx, tx, p.WorkspaceID, eventID)
		if err != nil {
			return err
		}
		if err := refuseDisabled(to); err != nil {
			return err
		}
		var there bool
		if d, there, err = deliveryOf(ctx, tx, endpointID, eventID); err != nil {
			return err
		}
		if there {
			return s.requeue(ctx, tx, &d)
		}
		d, err = s.queue(ctx, tx, to, e.ID, e.Type)
		return err
	})
	return d, err
}

// requeue starts a delivery over, or makes its next attempt due now.
func (s *Service) requeue(ctx context.Context, tx *db.Tx, d *Delivery) error {
	if !underWay(d.Status) {
		*d = d.queued()
		if err := updateDelivery(ctx, tx, *d); err != nil {
			return err
		}
	}
	return s.Jobs.Ensure(ctx, tx, d.ID, d.EndpointID, s.Now())
}

// recoverBatch is how many events a recovery reads before it queues the missed
// ones among them.
const recoverBatch = 200

// Recover queues the events since a time that an endpoint wants and that were not
// delivered to it: those whose delivery failed, and those from a time when it was
// disabled or did not exist. It returns how many. It searches in read-only
// transactions, because all requests share one writer.
func (s *Service) Recover(ctx context.Context, p auth.Principal, endpointID string, since time.Time) (int, error) {
	if since.After(s.Now()) {
		return 0, fault.BadParameter("since", "since must not be in the future.")
	}
	if oldest := s.Events.Oldest(); since.Before(oldest) {
		since = oldest // older events are about to be deleted
	}
	queued := 0
	for after := (&event.Event{CreatedAt: since}); after != nil; {
		var (
			missed []event.Event
			next   *event.Event
		)
		err := s.DB.Read(ctx, func(tx *db.Tx) error {
			to, err := enabledEndpoint(ctx, tx, p, endpointID)
			if err != nil {
				return err
			}
			missed, next, err = s.findMissed(ctx, tx, to, *after)
			return err
		})
		if err != nil {
			return queued, err
		}
		if after = next; len(missed) == 0 {
			continue
		}
		some := 0
		err = s.DB.Write(ctx, func(tx *db.Tx) error {
			to, err := enabledEndpoint(ctx, tx, p, endpointID)
			if err != nil {
				return err
			}
			some, err = s.queueMissed(ctx, tx, to, missed)
			return err
		})
		if err != nil {
			return queued, err
		}
		queued += some
	}
	return queued, nil
}

// enabledEndpoint reads an endpoint and refuses a disabled one.
func enabledEndpoint(ctx context.Context, tx *db.Tx, p auth.Principal, endpointID string) (Endpoint, error) {
	to, err := findEndpoint(ctx, tx, p.WorkspaceID, endpointID)
	if err != nil {
		return Endpoint{}, err
	}
	return to, refuseDisabled(to)
}

// findMissed reads a batch of events after the given one. It returns those that
// the endpoint wants and that were not delivered to it, and the event after which
// to continue, nil at the end.
func (s *Service) findMissed(ctx context.Context, tx *db.Tx, to Endpoint, after event.Event) ([]event.Event, *event.Event, error) {
	events, err := s.Events.List(ctx, tx, event.Filter{WorkspaceID: to.WorkspaceID, After: after, Limit: recoverBatch})
	if err != nil || len(events) == 0 {
		return nil, nil, err
	}
	known, err := deliveredOf(ctx, tx, to.ID, events)
	if err != nil {
		return nil, nil, err
	}
	last := &events[len(events)-1]
	if len(events) < recoverBatch {
		last = nil
	}
	var missed []event.Event
	for _, e := range events {
		if to.Wants(e.Type) && !known[e.ID] {
			missed = append(missed, e)
		}
	}
	return missed, last, nil
}

// queueMissed queues missed events, unless they were queued meanwhile.
func (s *Service) queueMissed(ctx context.Context, tx *db.Tx, to Endpoint, missed []event.Event) (int, error) {
	queued := 0
	for _, e := range missed {
		if !to.Wants(e.Type) {
			continue // its subscription was changed
		}
		d, there, err := deliveryOf(ctx, tx, to.ID, e.ID)
		switch {
		case err != nil:
			return 0, err
		case !there:
			_, err = s.queue(ctx, tx, to, e.ID, e.Type)
		case d.Status == statusFailed:
			err = s.requeue(ctx, tx, &d)
		default:
			continue
		}
		if err != nil {
			return 0, err
		}
		queued++
	}
	return queued, nil
}

func refuseDisabled(e Endpoint) error {
	if e.Enabled {
		return nil
	}
	return fault.Conflicting(api.CodeWebhookDisabled, "This webhook endpoint is disabled. Enable it first.")
}

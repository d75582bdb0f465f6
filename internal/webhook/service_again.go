package webhook

import (
	"context"

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
		d  Delivery
	)
	err := s.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if to, err = findEndpoint(ctx, tx, p.WorkspaceID, endpointID); err != nil {
			return err
		}
		e, err = s.Events.Write(ctx, tx, p.WorkspaceID, api.EventWebhookTest, api.WebhookTestEvent{
			Webhook: api.WebhookRef{ID: to.ID, URL: to.URL}, OccurredAt: api.At(s.Now()),
		})
		d = s.delivery(to, e.ID, e.Type)
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
	d = d.after(o, false)
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		if _, err := findEndpoint(ctx, tx, p.WorkspaceID, endpointID); err != nil {
			return nil //nolint:nilerr // deleted meanwhile, with its deliveries
		}
		if o.Error == "" {
			if err := succeeding(ctx, tx, []string{endpointID}); err != nil {
				return err
			}
		}
		if _, resent, err := deliveryOf(ctx, tx, endpointID, e.ID); err != nil || resent {
			return err // it has a delivery with a job of its own meanwhile
		}
		return insertDeliveries(ctx, tx, []Delivery{d})
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
		d = s.delivery(to, e.ID, e.Type)
		return s.queue(ctx, tx, d)
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

func refuseDisabled(e Endpoint) error {
	if e.Enabled {
		return nil
	}
	return fault.Conflicting(api.CodeWebhookDisabled, "This webhook endpoint is disabled. Enable it first.")
}

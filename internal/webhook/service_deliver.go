package webhook

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/outbound"
)

// FanOut promises an event to every endpoint that wants it, in the transaction
// in which the event is written.
func (s *Service) FanOut(ctx context.Context, tx *db.Tx, e event.Event) error {
	endpoints, err := listEndpoints(ctx, tx, e.WorkspaceID)
	if err != nil {
		return err
	}
	for _, to := range endpoints {
		if !to.Wants(e.Type) {
			continue
		}
		if _, err := s.queue(ctx, tx, to, e.ID, e.Type); err != nil {
			return err
		}
	}
	return nil
}

// queue promises an event to an endpoint.
func (s *Service) queue(ctx context.Context, tx *db.Tx, to Endpoint, eventID string, kind api.EventType) (Delivery, error) {
	d := s.delivery(to, eventID, kind)
	if err := insertDelivery(ctx, tx, d); err != nil {
		return d, err
	}
	return d, s.Jobs.Add(ctx, tx, d.ID, to.ID, d.CreatedAt)
}

// delivery is a new one.
func (s *Service) delivery(to Endpoint, eventID string, kind api.EventType) Delivery {
	return Delivery{
		ID: id.New(), EndpointID: to.ID, EventID: eventID, EventType: kind, Status: statusPending, CreatedAt: api.At(s.Now()).Time,
	}
}

// afterAccident is when a delivery is tried again that could not be begun.
const afterAccident = 5 * time.Second

// Deliver makes one attempt: the handler of the queue.
func (s *Service) Deliver(ctx context.Context, j job.Job) job.Result {
	var (
		p     parcel
		found bool
	)
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		p, found, err = readParcel(ctx, tx, j.ID)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return job.GiveBack()
	case err != nil:
		s.Logger.ErrorContext(ctx, "a webhook could not be read; trying again", "delivery", j.ID, "error", err)
		return job.Again(s.Now().Add(afterAccident), nil)
	case !found:
		return job.Done(nil)
	case !p.Endpoint.Enabled:
		return job.Done(func(ctx context.Context, tx *db.Tx) error {
			return failDeliveries(ctx, tx, []string{p.ID}, errorDisabled)
		})
	}
	o, err := s.attempt(ctx, p.Endpoint, p.Event)
	if err != nil && ctx.Err() != nil {
		return job.GiveBack() // nobody knows whether it arrived, so it does not count
	}
	if err != nil {
		s.Logger.ErrorContext(ctx, "a webhook could not be sent; trying again", "delivery", j.ID, "error", err)
		return job.Again(s.Now().Add(afterAccident), nil)
	}
	return s.conclude(p, o)
}

// attempt sends an event to an endpoint once.
func (s *Service) attempt(ctx context.Context, to Endpoint, e api.EventEnvelope) (outcome, error) {
	secrets, err := s.secrets(to)
	if err != nil {
		return outcome{}, err
	}
	began := s.Now()
	answer, err := Send(ctx, s.Client, to.URL, secrets, e, began)
	o := judge(answer.Status, answer.RetryAfter(s.Now()))
	if failed, ok := errors.AsType[*outbound.Error](err); ok {
		o = outcome{Error: string(failed.Reason)}
		s.Logger.DebugContext(ctx, "a webhook was not answered", "endpoint", to.ID, "event", e.ID, "error", err)
	} else if err != nil {
		return outcome{}, err //nolint:wrapcheck // ctx has ended, and Deliver sees that
	}
	s.Attempted(o.Error, s.Now().Sub(began))
	return o, nil
}

// conclude plans what follows an attempt.
func (s *Service) conclude(p parcel, o outcome) job.Result {
	now := s.Now()
	if o.Error == "" {
		d := p.after(o, false)
		return job.Done(func(ctx context.Context, tx *db.Tx) error {
			if !p.Endpoint.FailingSince.IsZero() {
				if err := succeeding(ctx, tx, d.EndpointID); err != nil {
					return err
				}
			}
			return updateDelivery(ctx, tx, d)
		})
	}
	wait, again := next(p.Step+1, o, rand.Float64())
	d := p.after(o, again)
	record := func(ctx context.Context, tx *db.Tx) error {
		if err := updateDelivery(ctx, tx, d); err != nil {
			return err
		}
		if p.Endpoint.FailingSince.IsZero() {
			return failing(ctx, tx, d.EndpointID, now)
		}
		if !again && failingTooLong(p.Endpoint.FailingSince, now) {
			return s.giveUp(ctx, tx, p.Endpoint, now)
		}
		return nil
	}
	if again {
		return job.Again(now.Add(wait), record)
	}
	return job.Done(record)
}

// giveUp disables an endpoint that did nothing but fail for too long.
func (s *Service) giveUp(ctx context.Context, tx *db.Tx, e Endpoint, now time.Time) error {
	disabled, err := disableFailing(ctx, tx, e.ID, now.Add(-failingFor))
	if err != nil || !disabled {
		return err
	}
	tx.AfterCommit(func() {
		s.Logger.WarnContext(ctx, "a webhook endpoint was disabled: nothing but failures for five days",
			"endpoint", e.ID, "workspace_id", e.WorkspaceID, "failing_since", e.FailingSince)
	})
	return s.stop(ctx, tx, e.ID)
}

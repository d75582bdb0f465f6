package webhook

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/outbound"
)

// FanOut queues an event for every endpoint that wants it, in the transaction
// that writes the event.
func (s *Service) FanOut(ctx context.Context, tx *db.Tx, e event.Event) error {
	endpoints, err := listEndpoints(ctx, tx, e.WorkspaceID)
	if err != nil {
		return err
	}
	var deliveries []Delivery
	for _, to := range endpoints {
		if to.Wants(e.Type) {
			deliveries = append(deliveries, s.delivery(to, e.ID, e.Type))
		}
	}
	return s.queue(ctx, tx, deliveries...)
}

// queue adds deliveries that were just made, and their jobs.
func (s *Service) queue(ctx context.Context, tx *db.Tx, deliveries ...Delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	jobs := make([]job.Job, len(deliveries))
	for i, d := range deliveries {
		jobs[i] = job.Job{ID: d.ID, Lane: d.EndpointID}
	}
	if err := insertDeliveries(ctx, tx, deliveries); err != nil {
		return err
	}
	return s.Jobs.AddAll(ctx, tx, jobs, deliveries[0].CreatedAt)
}

// delivery makes a new delivery.
func (s *Service) delivery(to Endpoint, eventID string, kind api.EventType) Delivery {
	return Delivery{
		ID: id.New(), EndpointID: to.ID, EventID: eventID, EventType: kind, Status: statusPending, CreatedAt: api.At(s.Now()).Time,
	}
}

// An attempt that could not be made is repeated soon if the database failed, and
// later if the cause may last, such as a secret that cannot be opened.
const (
	retrySoon  = 5 * time.Second
	retryLater = time.Minute
)

// Deliver makes one attempt. It is the queue's handler.
func (s *Service) Deliver(ctx context.Context, j job.Job) job.Result {
	var err error
	p, found := j.Fetched.(loadedDelivery)
	if !found { // Fetch found nothing: the delivery, its endpoint or its event is gone
		err = s.DB.Read(ctx, func(tx *db.Tx) (err error) {
			p, found, err = loadDelivery(ctx, tx, j.ID)
			return err
		})
	}
	switch {
	case err != nil:
		return s.later(ctx, j, retrySoon, err)
	case !found:
		return job.Done(nil)
	case p.Endpoint == nil:
		return s.dropped(ctx, j, s.erase(ctx, p.EndpointID))
	case !p.Endpoint.Enabled:
		return s.dropped(ctx, j, s.drop(ctx, p.EndpointID))
	case p.Event == nil: // older than thirty days, like its event
		return job.Done(func(ctx context.Context, tx *db.Tx) error { return deleteDelivery(ctx, tx, p.ID) })
	}
	o, err := s.attempt(ctx, *p.Endpoint, *p.Event)
	if err != nil {
		return s.later(ctx, j, retryLater, err)
	}
	return s.conclude(p, o)
}

// later repeats an attempt that was not made, or of which it is not known whether
// it was made. It does not count. When the service is stopping, the job is given
// back.
func (s *Service) later(ctx context.Context, j job.Job, wait time.Duration, err error) job.Result {
	if ctx.Err() != nil {
		return job.GiveBack()
	}
	s.Logger.ErrorContext(ctx, "a webhook could not be sent; trying again", "delivery", j.ID, "after", wait, "error", err)
	return job.Again(s.Now().Add(wait), nil)
}

// dropped ends a delivery after all deliveries to its endpoint were dropped. Its job is
// gone with theirs, so that nothing is written, unless the endpoint was enabled
// meanwhile: then the delivery is attempted.
func (s *Service) dropped(ctx context.Context, j job.Job, err error) job.Result {
	if err != nil {
		return s.later(ctx, j, retrySoon, err)
	}
	return job.Again(s.Now(), nil)
}

// attempt sends an event to an endpoint once.
func (s *Service) attempt(ctx context.Context, to Endpoint, e api.EventEnvelope) (outcome, error) {
	secrets, err := s.secrets(to)
	if err != nil {
		return outcome{}, err
	}
	began := s.Now()
	answer, err := Send(ctx, s.Client, to.URL, secrets, e, began)
	o := outcomeOf(answer.Status, answer.RetryAfter(s.Now()))
	if failed, ok := errors.AsType[*outbound.Error](err); ok {
		o = outcome{Error: string(failed.Reason)}
		s.Logger.DebugContext(ctx, "a webhook was not answered", "endpoint", to.ID, "event", e.ID, "error", err)
	} else if err != nil {
		return outcome{}, err //nolint:wrapcheck // Send has wrapped it, or it is the context's
	}
	s.Attempted(o.Error, s.Now().Sub(began))
	return o, nil
}

// conclude decides what follows an attempt.
func (s *Service) conclude(p loadedDelivery, o outcome) job.Result {
	now := s.Now()
	if o.Error == "" {
		return job.Noted(p.after(o, false))
	}
	wait, again := next(p.Step+1, o, rand.Float64())
	d := p.after(o, again)
	record := func(ctx context.Context, tx *db.Tx) error { return s.recordFailure(ctx, tx, *p.Endpoint, d, now) }
	if again {
		return job.Again(now.Add(wait), record)
	}
	return job.Done(record)
}

// recordFailure records a failed attempt. The queue records many attempts in one
// transaction. If the endpoint is disabled because of one of them, it keeps what that
// made of the others.
func (s *Service) recordFailure(ctx context.Context, tx *db.Tx, to Endpoint, d Delivery, now time.Time) error {
	if err := deliveryFailed(ctx, tx, d); err != nil {
		return err
	}
	if to.FailingSince.IsZero() {
		return failing(ctx, tx, d.EndpointID, now)
	}
	if !underWay(d.Status) && failingTooLong(to.FailingSince, now) {
		return s.giveUp(ctx, tx, to, now)
	}
	return nil
}

// WriteNotes records successful deliveries whose jobs end in the same transaction.
// It is the queue's writer of notes.
func (s *Service) WriteNotes(ctx context.Context, tx *db.Tx, notes []any) error {
	deliveries, endpoints := make([]Delivery, len(notes)), map[string]bool{}
	for i, note := range notes {
		d, ok := note.(Delivery)
		if !ok {
			return fmt.Errorf("a delivery's job left a %T", note)
		}
		deliveries[i], endpoints[d.EndpointID] = d, true
	}
	if err := succeeding(ctx, tx, slices.Sorted(maps.Keys(endpoints))); err != nil {
		return err
	}
	return deliveriesSucceeded(ctx, tx, deliveries)
}

// Fetch reads deliveries that are about to be attempted. It is the queue's reader.
func (s *Service) Fetch(ctx context.Context, tx *db.Tx, jobs []job.Job) (map[string]any, error) {
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	loaded, err := loadWhole(ctx, tx, ids)
	found := make(map[string]any, len(loaded))
	for _, p := range loaded {
		found[p.ID] = p
	}
	return found, err
}

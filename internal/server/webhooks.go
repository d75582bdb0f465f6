package server

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/seal"
	"github.com/conclave-rooms/conclave/internal/webhook"
)

// webhookSlots is how many deliveries to one endpoint run at the same time.
const webhookSlots = 4

// wireWebhooks builds the queue of deliveries and connects it to the event log.
func (s *Server) wireWebhooks(sealer *seal.Sealer, o Options) {
	out := o.Outbound
	out.AllowPrivate = s.config.WebhooksAllowPrivate
	out.UserAgent = "Conclave-Webhooks/" + o.Version
	out.Timeout = cmp.Or(out.Timeout, webhook.AttemptWithin)
	client := outbound.New(out)
	s.closers = append([]func() error{func() error { client.Close(); return nil }}, s.closers...)
	if out.AllowPrivate {
		s.log.Warn("webhooks can go to private addresses and over http: for development only", "flag", "--webhooks-allow-private")
	}
	s.Webhooks = &webhook.Service{
		DB: s.db, Events: s.Events, Client: client, Sealer: sealer, Now: o.Now, Logger: s.log, Attempted: s.metrics.attempted,
		Jobs: job.New(job.Config{
			Name: "webhook", Slots: webhookSlots, DB: s.db, Now: o.Now, Logger: s.log, Draining: s.drained,
			Handle: func(ctx context.Context, j job.Job) job.Result { return s.Webhooks.Deliver(ctx, j) },
			Fetch: func(ctx context.Context, tx *db.Tx, jobs []job.Job) (map[string]any, error) {
				return s.Webhooks.Fetch(ctx, tx, jobs)
			},
			WriteNotes: func(ctx context.Context, tx *db.Tx, notes []any) error { return s.Webhooks.WriteNotes(ctx, tx, notes) },
		}),
		Recoveries: job.New(job.Config{
			Name: "webhook_recovery", Slots: 1, DB: s.db, Now: o.Now, Logger: s.log, Draining: s.drained,
			Handle: func(ctx context.Context, j job.Job) job.Result { return s.Webhooks.ContinueRecovery(ctx, j) },
		}),
	}
	s.Events.OnAppend = s.Webhooks.FanOut
}

// PromiseWebhooks makes a service for a command whose events must be delivered.
// It queues deliveries and sends none; the service sends them when it runs.
func PromiseWebhooks(d *db.DB, events *event.Log, now func() time.Time, log *slog.Logger) *webhook.Service {
	s := &webhook.Service{
		DB: d, Events: events, Now: now, Logger: log, Client: nil, Sealer: nil, Attempted: nil, Recoveries: nil,
		Jobs: job.New(job.Config{Name: "webhook", Slots: webhookSlots, DB: d, Now: now, Logger: log, Draining: nil, Handle: nil}),
	}
	events.OnAppend = s.FanOut
	return s
}

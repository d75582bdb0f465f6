package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/webhook"
)

type webhooksCmd struct {
	List   webhooksList   `cmd:"" help:"List a workspace's webhook endpoints, newest first."`
	Resend webhooksResend `cmd:"" help:"Send an event again. The running service sends it within a second."`
	Listen webhooksListen `cmd:"" help:"Forward events to a receiver on this machine as they happen, until Ctrl+C. For development."`
}

type webhooksList struct {
	common

	Workspace string `required:"" help:"Id of the workspace." placeholder:"ID"`
}

func (c *webhooksList) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		p, err := d.owner(ctx, c.Workspace)
		if err != nil {
			return err
		}
		all, err := d.webhooks.List(ctx, p)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(rest.ListOf(all, false, webhook.Endpoint.Object))
		}
		rows := make([][]string, len(all))
		for i, e := range all {
			rows[i] = []string{e.ID, e.URL, stateOf(e), listed(e.Events)}
		}
		o.table([]string{"ID", "ADDRESS", "STATE", "EVENTS"}, rows)
		return nil
	})
}

// stateOf says in a word or two whether an endpoint receives events.
func stateOf(e webhook.Endpoint) string {
	switch {
	case e.Enabled:
		return "enabled"
	case e.DisabledReason != nil:
		return "disabled: " + *e.DisabledReason
	default:
		return "disabled"
	}
}

// listed joins event types to a list.
func listed(kinds []api.EventType) string {
	words := make([]string, len(kinds))
	for i, kind := range kinds {
		words[i] = string(kind)
	}
	return strings.Join(words, ", ")
}

type webhooksResend struct {
	common

	EventID string `arg:"" help:"Id of the event, evt_..."`
	Webhook string `help:"Id of the endpoint to send it to; left out: every endpoint that is subscribed to it." placeholder:"ID"`
}

func (c *webhooksResend) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		e, err := d.event(ctx, c.EventID)
		if err != nil {
			return err
		}
		p := auth.Principal{WorkspaceID: e.WorkspaceID, ManagesAll: true}
		endpoints, err := c.endpoints(ctx, d, p, e)
		if err != nil {
			return err
		}
		deliveries := make([]api.WebhookDelivery, len(endpoints))
		for i, to := range endpoints {
			again, err := d.webhooks.ResendEvent(ctx, p, to.ID, e.ID)
			if err != nil {
				return err
			}
			if deliveries[i] = again.Object(); !c.JSON {
				o.line("%s goes to %s again.", e.ID, to.URL)
			}
		}
		if c.JSON {
			return o.json(api.ListOf(deliveries, false))
		}
		return nil
	})
}

// endpoints are those to which the event is sent again.
func (c *webhooksResend) endpoints(ctx context.Context, d *desk, p auth.Principal, e event.Event) ([]webhook.Endpoint, error) {
	if c.Webhook != "" {
		to, err := d.webhooks.Get(ctx, p, c.Webhook)
		if fault.HasCode(err, api.CodeNotFound) {
			return nil, fault.MissingParam("webhook", "The event's workspace has no webhook endpoint with this id.")
		}
		return []webhook.Endpoint{to}, err
	}
	all, err := d.webhooks.List(ctx, p)
	if err != nil {
		return nil, err
	}
	var wanting []webhook.Endpoint
	for _, to := range all {
		if to.Wants(e.Type) {
			wanting = append(wanting, to)
		}
	}
	if len(wanting) == 0 {
		return nil, fault.MissingParam("webhook", fmt.Sprintf("The workspace has no enabled webhook endpoint that is subscribed to %s; name one with --webhook.", e.Type))
	}
	return wanting, nil
}

// event reads one event.
func (d *desk) event(ctx context.Context, eventID string) (e event.Event, err error) {
	err = d.db.Read(ctx, func(tx *db.Tx) error {
		e, err = d.events.Find(ctx, tx, eventID)
		return err
	})
	return e, err
}

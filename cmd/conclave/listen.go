package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/webhook"
)

// webhooksListen is for developers, whose receivers the service cannot reach.
// It follows the event log and takes no deliveries away from real endpoints.
type webhooksListen struct {
	common

	Workspace string   `required:"" help:"Id of the workspace." placeholder:"ID"`
	ForwardTo string   `required:"" help:"Address of the receiver, such as http://localhost:3000/webhooks." placeholder:"URL"`
	Events    []string `default:"*" help:"Types of events separated by commas, or * for all." placeholder:"TYPES"`
	Since     since    `help:"Begin with events since a time, or since a while ago, such as 15m." placeholder:"TIME"`
	Secret    string   `help:"Secret to sign with, whsec_...; left out: a new one, which is printed." env:"CONCLAVE_WEBHOOK_SECRET" placeholder:"SECRET"`
}

func (c *webhooksListen) Run(ctx context.Context, o *output) error {
	wants, err := c.check()
	if err != nil {
		return err
	}
	return c.with(ctx, o, func(d *desk) error {
		if _, err := d.owner(ctx, c.Workspace); err != nil {
			return err
		}
		f := event.Filter{WorkspaceID: c.Workspace, After: event.Event{CreatedAt: c.Since.orNow(d.db.Now())}}
		if err := c.greet(o); err != nil {
			return err
		}
		client := outbound.New(outbound.Config{AllowPrivate: true, Timeout: webhook.AttemptWithin, UserAgent: "Conclave-Webhooks/" + version})
		defer client.Close()
		return d.follow(ctx, f, func(list []event.Event) error {
			for _, e := range list {
				if !wants(e.Type) {
					continue
				}
				if err := c.forward(ctx, o, client, e); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// check refuses what cannot work, and returns the filter of --events. Test
// calls concern the service and one endpoint, so they are only forwarded when
// --events names them.
func (c *webhooksListen) check() (wants func(api.EventType) bool, err error) {
	to, err := url.Parse(c.ForwardTo)
	if err != nil || (to.Scheme != "http" && to.Scheme != "https") || to.Host == "" {
		return nil, fault.BadParameter("forward_to", fmt.Sprintf("--forward-to must be an address such as http://localhost:3000/webhooks, not %q.", c.ForwardTo))
	}
	if c.Secret == "" {
		c.Secret = webhook.NewSecret()
	}
	if !strings.HasPrefix(c.Secret, webhook.SecretPrefix) || c.Secret == webhook.SecretPrefix {
		return nil, fault.BadParameter("secret", "--secret must begin with whsec_, as the secrets of endpoints do.")
	}
	if slices.Equal(c.Events, []string{"*"}) {
		return func(kind api.EventType) bool { return kind != api.EventWebhookTest }, nil
	}
	if slices.Contains(c.Events, "*") {
		return nil, fault.BadParameter("events", "--events must be * alone, or name types.")
	}
	for _, name := range c.Events {
		if !slices.Contains(api.EventTypes(), api.EventType(name)) {
			return nil, unknownType("events", name)
		}
	}
	return func(kind api.EventType) bool { return slices.Contains(c.Events, string(kind)) }, nil
}

// greet prints what the receiver needs.
func (c *webhooksListen) greet(o *output) error {
	if c.JSON {
		return o.json(map[string]any{"secret": c.Secret, "forward_to": c.ForwardTo})
	}
	o.line("Signing with %s", c.Secret)
	o.line("Give it to your receiver; with --secret it is used again next time. Events go to %s; stop with Ctrl+C.", c.ForwardTo)
	return nil
}

// forward sends one event, once, and prints the outcome.
func (c *webhooksListen) forward(ctx context.Context, o *output, client *outbound.Client, e event.Event) error {
	began := time.Now()
	answer, err := webhook.Send(ctx, client, c.ForwardTo, []string{c.Secret},
		api.EventEnvelope{ID: e.ID, Type: e.Type, CreatedAt: api.At(e.CreatedAt), Data: e.Data}, began)
	took := time.Since(began).Milliseconds()
	failed, unanswered := errors.AsType[*outbound.Error](err)
	if err != nil && !unanswered {
		return err
	}
	if c.JSON {
		line := map[string]any{"event_id": e.ID, "event_type": e.Type, "status": nil, "error": nil, "duration_ms": took}
		if unanswered {
			line["error"] = failed.Reason
		} else {
			line["status"] = answer.Status
		}
		return o.json(line)
	}
	outcome := strconv.Itoa(answer.Status)
	if unanswered {
		outcome = err.Error()
	}
	o.line("%s  %-22s  %s  %s in %d ms", began.Format("15:04:05.000"), e.Type, e.ID, outcome, took)
	return nil
}

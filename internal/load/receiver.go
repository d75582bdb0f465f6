package load

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/client/webhook"
)

// receive makes a webhook endpoint that leads to this process, and receives its
// webhooks. The function it returns deletes the endpoint.
func (r *run) receive(ctx context.Context) (stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", r.o.Webhooks)
	if err != nil {
		return func() {}, fmt.Errorf("receive webhooks: %w", err)
	}
	var endpoint api.WebhookEndpointCreated
	body := api.WebhookEndpointCreate{URL: "http://" + listener.Addr().String(), Events: []api.EventType{"*"}}
	if err := r.api.do(ctx, http.MethodPost, "/api/v1/webhooks", body, &endpoint); err != nil {
		_ = listener.Close()
		return func() {}, fmt.Errorf("make a webhook endpoint: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: requestFor, Handler: &webhook.Handler{
		Verifier: webhook.Verifier{Secrets: []string{endpoint.Secret}},
		Receive: func(_ context.Context, e webhook.Event) error {
			r.add(beingTold, time.Since(e.CreatedAt.Time))
			if about, ok := e.Data.(*api.ParticipantEvent); ok {
				r.webhooks.received(e.Type, about.Participant.Identity)
			}
			return nil
		},
		Refused: func(_ *http.Request, err error) { r.fail(beingTold, err) },
	}}
	go func() { _ = server.Serve(listener) }()
	return func() {
		if err := r.api.do(context.WithoutCancel(ctx), http.MethodDelete, "/api/v1/webhooks/"+endpoint.ID, nil, nil); err != nil {
			r.o.Say("The webhook endpoint %s could not be deleted: %v", endpoint.ID, err)
		}
		_ = server.Close()
	}, nil
}

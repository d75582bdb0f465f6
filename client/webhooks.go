package client

import (
	"context"
	"iter"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
)

// ListWebhooks lists the webhook endpoints.
func (c Client) ListWebhooks(ctx context.Context) ([]api.WebhookEndpoint, error) {
	return whole[api.WebhookEndpoint](ctx, c, at("webhooks"))
}

// CreateWebhook makes a webhook endpoint. Its secret is only in this answer.
func (c Client) CreateWebhook(ctx context.Context, body api.WebhookEndpointCreate) (api.WebhookEndpointCreated, error) {
	return write[api.WebhookEndpointCreated](ctx, c, http.MethodPost, at("webhooks"), body)
}

// GetWebhook retrieves a webhook endpoint.
func (c Client) GetWebhook(ctx context.Context, webhookID string) (api.WebhookEndpoint, error) {
	return get[api.WebhookEndpoint](ctx, c, at("webhooks", webhookID))
}

// UpdateWebhook changes the fields of a webhook endpoint that body sets.
func (c Client) UpdateWebhook(ctx context.Context, webhookID string, body api.WebhookEndpointUpdate) (api.WebhookEndpoint, error) {
	return write[api.WebhookEndpoint](ctx, c, http.MethodPatch, at("webhooks", webhookID), body)
}

// DeleteWebhook deletes a webhook endpoint. Deliveries stop at once.
func (c Client) DeleteWebhook(ctx context.Context, webhookID string) (api.WebhookEndpoint, error) {
	return write[api.WebhookEndpoint](ctx, c, http.MethodDelete, at("webhooks", webhookID), nil)
}

// TestWebhook sends an event to the endpoint now, and waits for its answer.
func (c Client) TestWebhook(ctx context.Context, webhookID string) (api.WebhookTest, error) {
	return write[api.WebhookTest](ctx, c, http.MethodPost, at("webhooks", webhookID, "test"), nil)
}

// RecoverWebhook sends the events since a time that were not delivered.
func (c Client) RecoverWebhook(ctx context.Context, webhookID string, body api.WebhookRecover) (api.WebhookRecovery, error) {
	return write[api.WebhookRecovery](ctx, c, http.MethodPost, at("webhooks", webhookID, "recover"), body)
}

// RotateWebhookSecret makes a new secret, which is only in this answer.
func (c Client) RotateWebhookSecret(ctx context.Context, webhookID string, body api.WebhookSecretRotate) (api.WebhookEndpointRotated, error) {
	return write[api.WebhookEndpointRotated](ctx, c, http.MethodPost, at("webhooks", webhookID, "rotate-secret"), body)
}

// ListWebhookDeliveries lists the 50 newest deliveries to an endpoint, newest first.
func (c Client) ListWebhookDeliveries(ctx context.Context, webhookID string) ([]api.WebhookDelivery, error) {
	return whole[api.WebhookDelivery](ctx, c, at("webhooks", webhookID, "deliveries"))
}

// ResendWebhookDelivery sends an event to the endpoint again.
func (c Client) ResendWebhookDelivery(ctx context.Context, webhookID, deliveryID string) (api.WebhookDelivery, error) {
	return write[api.WebhookDelivery](ctx, c, http.MethodPost, at("webhooks", webhookID, "deliveries", deliveryID, "resend"), nil)
}

// EventQuery says which events to list. The zero value means all.
type EventQuery struct {
	Type          api.EventType // only events of this type
	StartingAfter string        // id of an event: only events before it
	PageSize      int           // events in each request, 1 to 100; 0 means 100
}

// ListEvents lists the events of the last 30 days, newest first. Package client/webhook
// reads their data.
func (c Client) ListEvents(ctx context.Context, q EventQuery) iter.Seq2[api.Event, error] {
	query := from(q.StartingAfter, q.PageSize)
	set(query, "type", string(q.Type))
	return pages(ctx, c, at("events"), query, func(e api.Event) string { return e.ID })
}

// GetEvent retrieves an event.
func (c Client) GetEvent(ctx context.Context, eventID string) (api.Event, error) {
	return get[api.Event](ctx, c, at("events", eventID))
}

package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
)

type endpointInput struct {
	WebhookID string `path:"webhook_id" doc:"Id of the webhook endpoint." format:"uuid"`
}

type createInput struct {
	Body api.WebhookEndpointCreate
}

type updateInput struct {
	WebhookID string `path:"webhook_id" doc:"Id of the webhook endpoint." format:"uuid"`
	Body      api.WebhookEndpointUpdate
}

// created is a new endpoint, with its address.
type created struct{ api.WebhookEndpointCreated }

// Location is the endpoint's path below the group's prefix.
func (c created) Location() string { return "/webhooks/" + c.ID }

// Mount registers the operations of the API.
func (s *Service) Mount(d *rest.Group) {
	op := func(o rest.Op) rest.Op {
		o.Tag, o.Scope = "Webhooks", api.ScopeWebhooksManage
		return o
	}
	rest.Handle(d, op(rest.Op{
		ID: "listWebhooks", Method: http.MethodGet, Path: "/webhooks",
		Summary: "List webhook endpoints", Description: "The workspace's endpoints, newest first: at most ten.",
	}), s.list)
	rest.Handle(d, op(rest.Op{
		ID: "createWebhook", Method: http.MethodPost, Path: "/webhooks", Status: http.StatusCreated, Object: api.WebhookEndpointRotated{},
		Summary: "Create a webhook endpoint",
		Description: "Events that happen from now on are sent to the address, signed with the secret in the answer, which is shown only once. " +
			"Private and local addresses are refused; a name that does not resolve yet is not.",
		Errors: []string{api.CodeURLNotAllowed, api.CodeLimitReached, api.CodeNotFound}, // of a repeated request whose endpoint is gone
	}), s.create, rest.Current(s.blank), rest.Replay[createInput](s.stillThere),
		rest.Rules(func(ctx context.Context, in *createInput, wrong func(string) bool) error {
			return s.checkOthers(ctx, &in.Body.URL, in.Body.Events, wrong)
		}))
	rest.Handle(d, op(rest.Op{
		ID: "getWebhook", Method: http.MethodGet, Path: "/webhooks/{webhook_id}", Summary: "Retrieve a webhook endpoint",
	}), s.get)
	rest.Handle(d, op(rest.Op{
		ID: "updateWebhook", Method: http.MethodPatch, Path: "/webhooks/{webhook_id}", Object: api.WebhookEndpointRotated{},
		Summary: "Change a webhook endpoint",
		Description: "A JSON merge patch. Disabling stops deliveries at once, including those under way; enabling resumes with new events. " +
			"Attempts from now on go to a new address.",
		Errors: []string{api.CodeURLNotAllowed},
	}), s.update, rest.Current(s.current), rest.Rules(func(ctx context.Context, in *updateInput, wrong func(string) bool) error {
		return s.checkOthers(ctx, in.Body.URL.Ptr(), in.Body.Events.Value, wrong)
	}))
	rest.Handle(d, op(rest.Op{
		ID: "deleteWebhook", Method: http.MethodDelete, Path: "/webhooks/{webhook_id}",
		Summary: "Delete a webhook endpoint", Description: "Deliveries stop at once. The secret and the deliveries are deleted.",
	}), s.remove)
	s.mountActions(d, op)
	describePayloads(d)
}

func (s *Service) list(ctx context.Context, _ *struct{}) (api.List[api.WebhookEndpoint], error) {
	all, err := s.List(ctx, auth.From(ctx))
	return rest.ListOf(all, false, Endpoint.Object), err
}

func (s *Service) create(ctx context.Context, in *createInput) (created, error) {
	e, secret, err := s.Create(ctx, auth.From(ctx), in.Body)
	if err != nil {
		return created{}, err
	}
	return created{api.WebhookEndpointCreated{WebhookEndpoint: e.Object(), Secret: secret}}, nil
}

// stillThere checks a repeated request: once the endpoint has been
// deleted, its secret is not shown again.
func (s *Service) stillThere(ctx context.Context, kept []byte) error {
	var e struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(kept, &e); err != nil {
		return fmt.Errorf("read the answer about an endpoint: %w", err)
	}
	_, err := s.Get(ctx, auth.From(ctx), e.ID)
	return err
}

// blank is a new endpoint with default values. Read-only fields in a request may
// only have these values.
func (s *Service) blank(ctx context.Context, in *createInput) (any, error) {
	e := s.New(auth.From(ctx), in.Body)
	e.ID = "" // chosen at random, so no value in the request can match it
	return e.Object(), nil
}

func (s *Service) get(ctx context.Context, in *endpointInput) (api.WebhookEndpoint, error) {
	e, err := s.Get(ctx, auth.From(ctx), in.WebhookID)
	if err != nil {
		return api.WebhookEndpoint{}, err
	}
	return e.Object(), nil
}

func (s *Service) update(ctx context.Context, in *updateInput) (api.WebhookEndpoint, error) {
	e, err := s.Update(ctx, auth.From(ctx), in.WebhookID, in.Body)
	if err != nil {
		return api.WebhookEndpoint{}, err
	}
	return e.Object(), nil
}

func (s *Service) current(ctx context.Context, in *updateInput) (any, error) {
	return s.get(ctx, &endpointInput{WebhookID: in.WebhookID})
}

func (s *Service) remove(ctx context.Context, in *endpointInput) (api.WebhookEndpoint, error) {
	e, err := s.Delete(ctx, auth.From(ctx), in.WebhookID)
	if err != nil {
		return api.WebhookEndpoint{}, err
	}
	object := e.Object()
	object.Deleted = true
	return object, nil
}

type rotateInput struct {
	WebhookID string `path:"webhook_id" doc:"Id of the webhook endpoint." format:"uuid"`
	Body      api.WebhookSecretRotate
}

type recoverInput struct {
	WebhookID string `path:"webhook_id" doc:"Id of the webhook endpoint." format:"uuid"`
	Body      api.WebhookRecover
}

type deliveryInput struct {
	WebhookID  string `path:"webhook_id" doc:"Id of the webhook endpoint." format:"uuid"`
	DeliveryID string `path:"delivery_id" doc:"Id of the delivery." format:"uuid"`
}

// mountActions registers the operations that act on an endpoint.
func (s *Service) mountActions(d *rest.Group, op func(rest.Op) rest.Op) {
	rest.Handle(d, op(rest.Op{
		ID: "testWebhook", Method: http.MethodPost, Path: "/webhooks/{webhook_id}/test", Limit: rest.ClassWebhookTest,
		Summary: "Test a webhook endpoint",
		Description: "Sends a signed webhook.test event now, also to a disabled endpoint, and waits for the answer: at most ten seconds. " +
			"Returns 200 whether the endpoint answers or not. A test is not repeated.",
	}), func(ctx context.Context, in *endpointInput) (api.WebhookTest, error) {
		return s.Test(ctx, auth.From(ctx), in.WebhookID)
	})
	rest.Handle(d, op(rest.Op{
		ID: "listWebhookDeliveries", Method: http.MethodGet, Path: "/webhooks/{webhook_id}/deliveries",
		Summary: "List deliveries", Description: fmt.Sprintf("The %d newest deliveries to an endpoint, newest first: one for each event, with its last attempt.", mostListed),
	}), s.deliveries)
	rest.Handle(d, op(rest.Op{
		ID: "resendWebhookDelivery", Method: http.MethodPost, Path: "/webhooks/{webhook_id}/deliveries/{delivery_id}/resend",
		Summary: "Send an event again", Description: "Starts the delivery over, with all its attempts. A delivery that is still under way is attempted now.",
		Errors: []string{api.CodeWebhookDisabled},
	}), func(ctx context.Context, in *deliveryInput) (api.WebhookDelivery, error) {
		delivery, err := s.Resend(ctx, auth.From(ctx), in.WebhookID, in.DeliveryID)
		return delivery.Object(), err
	})
	rest.Handle(d, op(rest.Op{
		ID: "recoverWebhook", Method: http.MethodPost, Path: "/webhooks/{webhook_id}/recover", Limit: rest.ClassWebhookRecover,
		Summary: "Send missed events",
		Description: "Queues the events since a time that the endpoint subscribes to and that were not delivered to it: those that failed, " +
			"and those from when it was disabled or did not exist. Events are kept for 30 days. The answer says how many; the service queues them " +
			"after it, oldest first. Events that a recovery under way is going to queue are not counted again.",
		Errors: []string{api.CodeWebhookDisabled},
	}), func(ctx context.Context, in *recoverInput) (api.WebhookRecovery, error) {
		n, err := s.Recover(ctx, auth.From(ctx), in.WebhookID, in.Body.Since.Time)
		return api.WebhookRecovery{Object: "webhook_recovery", WebhookID: in.WebhookID, Since: in.Body.Since, Events: n}, err
	}, rest.Rules(func(_ context.Context, in *recoverInput, wrong func(string) bool) error {
		if wrong("since") {
			return nil
		}
		return s.checkSince(in.Body.Since.Time)
	}))
	rest.Handle(d, op(rest.Op{
		ID: "rotateWebhookSecret", Method: http.MethodPost, Path: "/webhooks/{webhook_id}/rotate-secret",
		Summary: "Rotate the secret", Description: "Makes a new secret, shown only once. Until the previous one expires, requests carry a signature of each.",
	}), s.rotate, rest.Replay[rotateInput](s.stillThere))
}

func (s *Service) deliveries(ctx context.Context, in *endpointInput) (api.List[api.WebhookDelivery], error) {
	all, err := s.Deliveries(ctx, auth.From(ctx), in.WebhookID)
	return rest.ListOf(all, false, Delivery.Object), err
}

func (s *Service) rotate(ctx context.Context, in *rotateInput) (api.WebhookEndpointRotated, error) {
	keep := time.Duration(in.Body.ExpirePreviousIn.Value) * time.Second
	e, secret, err := s.Rotate(ctx, auth.From(ctx), in.WebhookID, keep)
	if err != nil {
		return api.WebhookEndpointRotated{}, err
	}
	out := api.WebhookEndpointRotated{WebhookEndpoint: e.Object(), Secret: secret, PreviousSecretExpiresAt: nil}
	if !e.previousUntil.IsZero() {
		until := api.At(e.previousUntil)
		out.PreviousSecretExpiresAt = &until
	}
	return out, nil
}

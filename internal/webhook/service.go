package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/outbound"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// Service keeps endpoints and delivers events to them.
type Service struct {
	DB     *db.DB
	Events *event.Log
	Jobs   *job.Queue // calls Deliver for each job
	// Recoveries calls ContinueRecovery for each job.
	Recoveries *job.Queue
	Client     *outbound.Client
	Sealer     *seal.Sealer
	Now        func() time.Time
	Logger     *slog.Logger

	// Attempted is called after every attempt with its outcome, "" for success,
	// and its duration.
	Attempted func(outcome string, took time.Duration)
}

// List reads the endpoints of a workspace, newest first.
func (s *Service) List(ctx context.Context, p auth.Principal) (all []Endpoint, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		all, err = listEndpoints(ctx, tx, p.WorkspaceID)
		return err
	})
	return all, err
}

// Get reads an endpoint.
func (s *Service) Get(ctx context.Context, p auth.Principal, endpointID string) (e Endpoint, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		e, err = findEndpoint(ctx, tx, p.WorkspaceID, endpointID)
		return err
	})
	return e, err
}

// New returns an endpoint as Create would make it, without the secret. The request has
// its defaults.
func (s *Service) New(p auth.Principal, c api.WebhookEndpointCreate) Endpoint {
	e := Endpoint{
		ID: id.New(), WorkspaceID: p.WorkspaceID, URL: c.URL, Events: c.Events, Enabled: c.Enabled.Value, CreatedAt: api.At(s.Now()).Time,
	}
	if text := c.Description.Or(""); text != "" {
		e.Description = &text
	}
	return e
}

// Create makes an endpoint and returns its secret.
func (s *Service) Create(ctx context.Context, p auth.Principal, c api.WebhookEndpointCreate) (e Endpoint, secret string, err error) {
	if err := s.check(ctx, &c.URL, c.Events); err != nil {
		return Endpoint{}, "", err
	}
	e, secret = s.New(p, c), NewSecret()
	if e.secret, err = s.Sealer.Seal([]byte(secret), binding(e, "secret")); err != nil {
		return Endpoint{}, "", fmt.Errorf("seal a webhook's secret: %w", err)
	}
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		n, err := countEndpoints(ctx, tx, p.WorkspaceID)
		if err != nil {
			return err
		}
		if n >= mostEndpoints {
			return fault.Conflicting(api.CodeLimitReached, fmt.Sprintf("A workspace has at most %d webhook endpoints. Delete one first.", mostEndpoints))
		}
		return insertEndpoint(ctx, tx, e)
	})
	return e, secret, err
}

// Update changes an endpoint. Disabling it ends its deliveries at once; after it
// is enabled, it gets the events that follow.
func (s *Service) Update(ctx context.Context, p auth.Principal, endpointID string, u api.WebhookEndpointUpdate) (Endpoint, error) {
	if err := s.check(ctx, u.URL.Ptr(), u.Events.Value); err != nil {
		return Endpoint{}, err
	}
	if u.Enabled.Or(false) {
		if err := s.clear(ctx, p, endpointID); err != nil {
			return Endpoint{}, err
		}
	}
	var before, after Endpoint
	err := s.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if before, err = findEndpoint(ctx, tx, p.WorkspaceID, endpointID); err != nil {
			return err
		}
		if after = before.apply(u); reflect.DeepEqual(before, after) {
			return nil
		}
		return updateEndpoint(ctx, tx, after)
	})
	if err == nil && before.Enabled && !after.Enabled {
		err = s.drop(ctx, endpointID)
	}
	return after, err
}

// clear ends the deliveries that a disabled endpoint still has. There are some if
// the service stopped just after the endpoint was disabled.
func (s *Service) clear(ctx context.Context, p auth.Principal, endpointID string) error {
	e, err := s.Get(ctx, p, endpointID)
	if err != nil || e.Enabled {
		return err
	}
	return s.drop(ctx, endpointID)
}

// Delete deletes an endpoint with its deliveries and its secret.
func (s *Service) Delete(ctx context.Context, p auth.Principal, endpointID string) (Endpoint, error) {
	var e Endpoint
	err := s.DB.Write(ctx, func(tx *db.Tx) (err error) {
		if e, err = findEndpoint(ctx, tx, p.WorkspaceID, endpointID); err != nil {
			return err
		}
		return deleteEndpoint(ctx, tx, endpointID)
	})
	if err != nil {
		return Endpoint{}, err
	}
	return e, s.erase(ctx, endpointID)
}

// Rotate gives an endpoint a new secret. The previous secret also signs until it
// expires. A secret from an earlier rotation stops signing.
func (s *Service) Rotate(ctx context.Context, p auth.Principal, endpointID string, keep time.Duration) (e Endpoint, secret string, err error) {
	secret = NewSecret()
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		if e, err = findEndpoint(ctx, tx, p.WorkspaceID, endpointID); err != nil {
			return err
		}
		if err := s.keepPrevious(&e, keep); err != nil {
			return err
		}
		if e.secret, err = s.Sealer.Seal([]byte(secret), binding(e, "secret")); err != nil {
			return fmt.Errorf("seal a webhook's secret: %w", err)
		}
		return updateEndpoint(ctx, tx, e)
	})
	return e, secret, err
}

// keepPrevious makes the endpoint's secret its previous one, to be kept for a
// time. If that time is zero, the secret is not opened, so that an endpoint whose
// secret cannot be opened, because the master key is lost, can get a new one.
func (s *Service) keepPrevious(e *Endpoint, keep time.Duration) error {
	e.previous, e.previousUntil = "", time.Time{}
	if keep <= 0 {
		return nil
	}
	previous, err := s.Sealer.Open(e.secret, binding(*e, "secret"))
	if err != nil {
		return fmt.Errorf("open a webhook's secret: %w", err)
	}
	e.previousUntil = api.At(s.Now().Add(keep)).Time
	if e.previous, err = s.Sealer.Seal(previous, binding(*e, "previous_secret")); err != nil {
		return fmt.Errorf("seal a webhook's previous secret: %w", err)
	}
	return nil
}

// Deliveries lists the newest deliveries to an endpoint.
func (s *Service) Deliveries(ctx context.Context, p auth.Principal, endpointID string) (all []Delivery, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		if _, err := findEndpoint(ctx, tx, p.WorkspaceID, endpointID); err != nil {
			return err
		}
		all, err = listDeliveries(ctx, tx, endpointID)
		return err
	})
	return all, err
}

// check refuses an address that must not be used and a list of types that is
// invalid; url is nil when the request has none.
func (s *Service) check(ctx context.Context, url *string, events []api.EventType) error {
	var failures []fault.Field
	if url != nil {
		if err := s.Client.Check(ctx, *url); err != nil {
			code := api.CodeURLNotAllowed
			if errors.Is(err, outbound.ErrNotURL) || errors.Is(err, outbound.ErrInvalidPort) {
				code = api.CodeParameterInvalid
			}
			failures = append(failures, fault.Field{Param: "url", Code: code, Message: "url " + err.Error() + "."})
		}
	}
	if len(events) > 1 && slices.Contains(events, everything) {
		failures = append(failures, fault.Field{Param: "events", Code: api.CodeParameterInvalid, Message: "events must be * alone, or name types."})
	}
	if len(failures) > 0 {
		return fault.Parameters(failures)
	}
	return nil
}

// checkOthers is check without what is wrong by itself.
func (s *Service) checkOthers(ctx context.Context, url *string, events []api.EventType, wrong func(param string) bool) error {
	if wrong("url") {
		url = nil
	}
	if wrong("events") {
		events = nil
	}
	return s.check(ctx, url, events)
}

// secrets returns the secrets that sign now, newest first.
func (s *Service) secrets(e Endpoint) ([]string, error) {
	secret, err := s.Sealer.Open(e.secret, binding(e, "secret"))
	if err != nil {
		return nil, fmt.Errorf("open the secret of webhook endpoint %s: %w", e.ID, err)
	}
	all := []string{string(secret)}
	if e.previous != "" && s.Now().Before(e.previousUntil) {
		previous, err := s.Sealer.Open(e.previous, binding(e, "previous_secret"))
		if err != nil {
			return nil, fmt.Errorf("open the previous secret of webhook endpoint %s: %w", e.ID, err)
		}
		all = append(all, string(previous))
	}
	return all, nil
}

// binding names the row and column of a secret, so that it can only be opened there.
func binding(e Endpoint, column string) string {
	return "webhook_endpoint/" + column + "/" + e.ID + "/" + e.WorkspaceID
}

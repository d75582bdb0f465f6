package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

const (
	// mostEndpoints is how many endpoints a workspace can have.
	mostEndpoints = 10
	// mostListed is how many deliveries are listed.
	mostListed = 50
	// failingFor is how long an endpoint may do nothing but fail before it is
	// disabled.
	failingFor = 5 * 24 * time.Hour
)

// everything subscribes an endpoint to all types of events.
const everything api.EventType = "*"

// reasonFailing is the disabled_reason of an endpoint that the service disabled
// because it kept failing.
const reasonFailing = "failing"

// Endpoint is an address that events are sent to.
type Endpoint struct {
	ID             string
	WorkspaceID    string
	URL            string
	Description    *string
	Events         []api.EventType
	Enabled        bool
	DisabledReason *string
	FailingSince   time.Time // zero: the last attempt succeeded
	CreatedAt      time.Time

	secret        string // sealed
	previous      string // sealed; "" when there is none
	previousUntil time.Time
}

// Wants reports whether an event of a type is delivered to the endpoint. Test
// events are not: a test call sends them directly to its own endpoint.
func (e Endpoint) Wants(kind api.EventType) bool {
	return e.Enabled && kind != api.EventWebhookTest &&
		(slices.Contains(e.Events, everything) || slices.Contains(e.Events, kind))
}

// Object is the endpoint as the API shows it.
func (e Endpoint) Object() api.WebhookEndpoint {
	return api.WebhookEndpoint{
		Object: "webhook_endpoint", ID: e.ID, URL: e.URL, Description: e.Description, Events: e.Events, Enabled: e.Enabled,
		DisabledReason: e.DisabledReason, CreatedAt: api.At(e.CreatedAt), Deleted: false,
	}
}

// apply returns the endpoint after an update. Enabling it or changing its address
// forgets the failures of before.
func (e Endpoint) apply(u api.WebhookEndpointUpdate) Endpoint {
	after := e
	after.URL = u.URL.Or(e.URL)
	after.Events = u.Events.Or(e.Events)
	after.Enabled = u.Enabled.Or(e.Enabled)
	if u.Description.Set {
		after.Description = u.Description.Ptr()
	}
	if after.URL != e.URL {
		after.FailingSince = time.Time{}
	}
	if after.Enabled && !e.Enabled {
		after.FailingSince, after.DisabledReason = time.Time{}, nil
	}
	return after
}

// NewSecret makes a signing secret: whsec_ and 32 random bytes in base64.
func NewSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // crypto/rand.Read never fails (Go 1.24)
	return SecretPrefix + base64.StdEncoding.EncodeToString(b)
}

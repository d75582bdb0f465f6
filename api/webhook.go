package api

import "encoding/json"

// WebhookEndpoint is an address to which events are sent.
type WebhookEndpoint struct {
	Object         string      `json:"object" enum:"webhook_endpoint" doc:"Always webhook_endpoint." example:"webhook_endpoint"`
	ID             string      `json:"id" format:"uuid" doc:"Id." example:"0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"`
	URL            string      `json:"url" format:"uri" doc:"Public https address." example:"https://example.com/hooks"`
	Description    *string     `json:"description" nullable:"true" doc:"Up to 120 characters, or null."`
	Events         []EventType `json:"events" doc:"Types of events that are sent to it, or * for all." example:"[\"room.started\"]"`
	Enabled        bool        `json:"enabled" doc:"Whether events are sent."`
	DisabledReason *string     `json:"disabled_reason" enum:"failing" nullable:"true" doc:"failing: every delivery failed for five days, so the service stopped sending. Null otherwise."`
	CreatedAt      Time        `json:"created_at" doc:"When it was made."`
	Deleted        bool        `json:"deleted,omitempty" doc:"True in the answer to a delete, absent elsewhere."`
}

// WebhookEndpointCreated is a new endpoint with its secret.
type WebhookEndpointCreated struct {
	WebhookEndpoint

	Secret string `json:"secret" doc:"Secret that signs the requests to the endpoint. Shown only now." example:"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD2VX0LH2lZ0I="`
}

// WebhookEndpointRotated is an endpoint with its new secret.
type WebhookEndpointRotated struct {
	WebhookEndpoint

	Secret                  string `json:"secret" doc:"New secret, which signs from now on. Shown only now."`
	PreviousSecretExpiresAt *Time  `json:"previous_secret_expires_at" nullable:"true" doc:"When the previous secret stops signing too; null when it stopped at once."`
}

// WebhookEndpointCreate is the body of POST /webhooks.
type WebhookEndpointCreate struct {
	URL         string      `json:"url" format:"uri" minLength:"1" maxLength:"2048" doc:"Public https address; private and local ones are refused." example:"https://example.com/hooks"`
	Events      []EventType `json:"events" minItems:"1" maxItems:"30" uniqueItems:"true" enum:"*,room.created,room.updated,room.deleted,room.started,room.finished,participant.joined,participant.left,participant.stage_changed,meeting.scheduled,meeting.updated,meeting.cancelled,poll.created,poll.closed,breakout.started,breakout.ended,recording.ready,webhook.test" doc:"Types of events to send, or * alone for all." example:"[\"room.started\",\"room.finished\"]"`
	Description Opt[string] `json:"description,omitzero" maxLength:"120" nullable:"true" multiline:"true" doc:"Up to 120 characters."`
	Enabled     Opt[bool]   `json:"enabled,omitzero" default:"true" doc:"Whether to send events."`
}

// WebhookEndpointUpdate is the body of PATCH /webhooks/{webhook_id}, a JSON
// merge patch.
type WebhookEndpointUpdate struct {
	URL         Opt[string]      `json:"url,omitzero" format:"uri" minLength:"1" maxLength:"2048" doc:"Public https address."`
	Events      Opt[[]EventType] `json:"events,omitzero" minItems:"1" maxItems:"30" uniqueItems:"true" enum:"*,room.created,room.updated,room.deleted,room.started,room.finished,participant.joined,participant.left,participant.stage_changed,meeting.scheduled,meeting.updated,meeting.cancelled,poll.created,poll.closed,breakout.started,breakout.ended,recording.ready,webhook.test" doc:"Replaces the list."`
	Description Opt[string]      `json:"description,omitzero" maxLength:"120" nullable:"true" multiline:"true" doc:"Up to 120 characters; null clears it."`
	Enabled     Opt[bool]        `json:"enabled,omitzero" doc:"false stops sending at once; true resumes with new events."`
}

// WebhookSecretRotate is the body of POST /webhooks/{webhook_id}/rotate-secret.
type WebhookSecretRotate struct {
	ExpirePreviousIn Opt[int] `json:"expire_previous_in,omitzero" default:"86400" minimum:"0" maximum:"604800" doc:"Seconds for which the previous secret also signs."`
}

// WebhookDelivery is the sending of an event to an endpoint. There is one for each event
// and endpoint, with all its attempts.
type WebhookDelivery struct {
	Object       string    `json:"object" enum:"webhook_delivery" doc:"Always webhook_delivery." example:"webhook_delivery"`
	ID           string    `json:"id" format:"uuid" doc:"Id."`
	EventID      string    `json:"event_id" doc:"The event." example:"evt_01jd3v5m8k000c2r7t4x6z0b1n"`
	EventType    EventType `json:"event_type" doc:"Its type." example:"room.started"`
	Status       string    `json:"status" enum:"pending,retrying,succeeded,failed" doc:"pending: the first attempt is not finished. retrying: an attempt failed, another is planned. succeeded: the endpoint answered 2xx. failed: no more attempts."`
	Attempts     int       `json:"attempts" doc:"How many attempts are finished."`
	ResponseCode *int      `json:"response_code" nullable:"true" doc:"Status of the last answer; null when the last attempt had none."`
	Error        *string   `json:"error" nullable:"true" enum:"timeout,dns_error,connect_error,tls_error,blocked_address,redirect,http_error,endpoint_disabled" doc:"Why the last attempt failed; null when it succeeded."`
	CreatedAt    Time      `json:"created_at" doc:"When the event was queued for the endpoint."`
}

// WebhookTest is the answer to a test call.
type WebhookTest struct {
	Object string `json:"object" enum:"webhook_test" doc:"Always webhook_test."`
	OK     bool   `json:"ok" doc:"Whether the endpoint answered with 2xx."`
	Status *int   `json:"status" nullable:"true" doc:"The endpoint's status; null when it did not answer."`
}

// WebhookRecover is the body of POST /webhooks/{webhook_id}/recover.
type WebhookRecover struct {
	Since Time `json:"since" doc:"Events since this time that were not delivered are sent again." example:"2026-11-20T10:00:00.000Z"`
}

// WebhookRecovery is the result of a recovery.
type WebhookRecovery struct {
	Object    string `json:"object" enum:"webhook_recovery" doc:"Always webhook_recovery."`
	WebhookID string `json:"webhook_id" format:"uuid" doc:"The endpoint."`
	Since     Time   `json:"since" doc:"The time since which events were searched."`
	Events    int    `json:"events" doc:"How many events were queued."`
}

// Event is an event as GET /events shows it.
type Event struct {
	Object    string          `json:"object" enum:"event" doc:"Always event."`
	ID        string          `json:"id" doc:"Id; the same in webhooks." example:"evt_01jd3v5m8k000c2r7t4x6z0b1n"`
	Type      EventType       `json:"type" doc:"Type." example:"room.started"`
	CreatedAt Time            `json:"created_at" doc:"When it was written."`
	Data      json.RawMessage `json:"data" doc:"What happened; occurred_at in it orders events. The webhooks in this document describe the data of each type."`
}

// EventEnvelope is an event as a webhook sends it.
type EventEnvelope struct {
	ID        string          `json:"id" doc:"Id; the same in every attempt and for every endpoint."`
	Type      EventType       `json:"type" doc:"Type."`
	CreatedAt Time            `json:"created_at" doc:"When it was written."`
	Data      json.RawMessage `json:"data" doc:"What happened."`
}

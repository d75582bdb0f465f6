package webhook

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/conclave-rooms/conclave/api"
)

// ErrMalformedEvent is returned for a body that is not an event.
var ErrMalformedEvent = errors.New("webhook: the body is not an event")

// Event is a received event.
type Event struct {
	// ID is the same for every delivery of the event. Remember it to recognise an
	// event that comes a second time.
	ID   string
	Type api.EventType
	// CreatedAt is when the event was written. Order by OccurredAt of the data.
	CreatedAt api.Time
	// Data points to the api struct of the type, such as *api.ParticipantEvent;
	// nil for a type that this version of the package does not know.
	Data any
	// Raw is the data as it was received, for types and fields of a newer service.
	Raw json.RawMessage
}

// Event verifies a request and reads its event.
func (v Verifier) Event(header string, body []byte) (Event, error) {
	if err := v.Verify(header, body); err != nil {
		return Event{}, err
	}
	return Parse(body)
}

// Parse reads an event without verifying it, for example from a queue. It also reads the
// objects that GET /events returns.
func Parse(body []byte) (Event, error) {
	var envelope struct {
		ID        string          `json:"id"`
		Type      api.EventType   `json:"type"`
		CreatedAt api.Time        `json:"created_at"`
		Data      json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return Event{}, fmt.Errorf("%w: %w", ErrMalformedEvent, err)
	}
	if envelope.ID == "" || envelope.Type == "" || envelope.CreatedAt.IsZero() || len(envelope.Data) == 0 || envelope.Data[0] != '{' {
		return Event{}, fmt.Errorf("%w: it has no id, type, created_at or data", ErrMalformedEvent)
	}
	e := Event{ID: envelope.ID, Type: envelope.Type, CreatedAt: envelope.CreatedAt, Data: api.EventData(envelope.Type), Raw: envelope.Data}
	if e.Data == nil {
		return e, nil
	}
	if err := json.Unmarshal(e.Raw, e.Data); err != nil {
		return Event{}, fmt.Errorf("%w: read the data of %s: %w", ErrMalformedEvent, e.Type, err)
	}
	return e, nil
}

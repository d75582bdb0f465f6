package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/outbound"
)

// Send posts an event to an address once, signed with the secrets. Deliveries use
// it, and so does the command that sends events to a developer's own receiver.
// When there is no answer, the error is an *outbound.Error or the context's.
func Send(ctx context.Context, client *outbound.Client, url string, secrets []string, e api.EventEnvelope, now time.Time) (outbound.Answer, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return outbound.Answer{}, fmt.Errorf("write the body of a webhook: %w", err)
	}
	header := sign(secrets, e.ID, now, body)
	header["Content-Type"] = "application/json"
	return client.Post(ctx, url, header, body) //nolint:wrapcheck // the callers check its type
}

package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/outbound"
)

// Send posts an event to an address once: every delivery is made by it, and so
// is what a developer's receiver is sent that is no endpoint. The secrets sign.
// Without an answer the error is an *outbound.Error, or the context's.
func Send(ctx context.Context, client *outbound.Client, url string, secrets []string, e api.EventEnvelope, now time.Time) (outbound.Answer, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return outbound.Answer{}, fmt.Errorf("write the body of a webhook: %w", err)
	}
	header := sign(secrets, e.ID, now, body)
	header["Content-Type"] = "application/json"
	return client.Post(ctx, url, header, body) //nolint:wrapcheck // whoever sends looks into it
}

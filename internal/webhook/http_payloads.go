package webhook

import (
	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// describePayloads adds the requests to endpoints to the OpenAPI document.
func describePayloads(d *rest.Group) {
	for _, kind := range api.EventTypes() {
		rest.AddPayload(d, rest.Payload{
			Name: string(kind), Tag: "Webhooks", Data: api.EventData(kind),
			Description: "Sent to every enabled endpoint that subscribes to " + string(kind) + ", at least once and in any order.",
		})
	}
}

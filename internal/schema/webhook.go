package schema

import (
	"fmt"
	"strings"
)

// Webhook is a request that the service sends to a customer's server.
type Webhook struct {
	Name        string // the type of the event, such as room.created
	Description string
	Tag         string
	Data        *Schema // of the member data
}

// webhooks describes the requests that the service sends, in their order.
func (d *Document) webhooks(c *components) (object, error) {
	out := object{}
	for _, w := range d.Webhooks {
		data, err := c.schema(w.Data, answers)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		out = out.with(w.Name, object{{"post", w.describe(data)}})
	}
	return out, nil
}

func (w Webhook) describe(data object) object {
	header := func(name, description string) object {
		return object{{"name", name}, {"in", "header"}, {"required", true}, {"description", description}, {"schema", object{{"type", "string"}}}}
	}
	text := func(description string) object { return object{{"type", "string"}, {"description", description}} }
	envelope := object{
		{"type", "object"},
		{"properties", object{
			{"id", text("Id; the same in every attempt and for every endpoint.")},
			{"type", object{{"type", "string"}, {"const", w.Name}}},
			{"created_at", object{{"type", "string"}, {"format", "date-time"}, {"description", "When the event was written."}}},
			{"data", data},
		}},
		{"required", []string{"id", "type", "created_at", "data"}},
	}
	return object{
		{"operationId", "on" + camel(w.Name)},
		{"tags", []string{w.Tag}},
		{"summary", w.Name},
	}.withText("description", w.Description).
		with("security", []any{}).
		with("parameters", []any{
			header("Service-Signature", "t=<unix seconds>,v1=<hex>: HMAC-SHA256 of <t>.<body> keyed with the endpoint's secret; a v1 for each secret while one is being rotated."),
			header("webhook-id", "The event's id, for the Standard Webhooks specification."),
			header("webhook-timestamp", "The same time as in Service-Signature."),
			header("webhook-signature", "v1,<base64>: the signature of the Standard Webhooks specification."),
		}).
		with("requestBody", object{{"required", true}, {"content", object{{mediaJSON, object{{"schema", envelope}}}}}}).
		with("responses", object{
			{"2XX", object{{"description", "Received. Anything else, or no answer within ten seconds, is a failed attempt."}}},
		})
}

// camel turns room.created into RoomCreated.
func camel(name string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

package rest

import (
	"fmt"
	"reflect"
	"strings"
)

// Payload is a request that the service sends: a webhook of the OpenAPI
// document.
type Payload struct {
	Name        string // the type of the event, such as room.created
	Description string
	Tag         string
	Data        any // a struct, or a pointer to one: the type of data
}

// AddPayload adds a payload to the group's document.
func AddPayload(g *Group, p Payload) { g.payloads = append(g.payloads, p) }

// webhooks describes the payloads, in the order in which they were added.
func (g *Group) webhooks(c *components) (object, error) {
	out := object{}
	for _, p := range g.payloads {
		t := reflect.TypeOf(p.Data)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		data, err := c.schema(compileType(t), answers)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		out = out.with(p.Name, object{{"post", p.describe(data)}})
	}
	return out, nil
}

func (p Payload) describe(data object) object {
	header := func(name, description string) object {
		return object{{"name", name}, {"in", "header"}, {"required", true}, {"description", description}, {"schema", object{{"type", "string"}}}}
	}
	text := func(description string) object { return object{{"type", "string"}, {"description", description}} }
	envelope := object{
		{"type", "object"},
		{"properties", object{
			{"id", text("Id; the same in every attempt and for every endpoint.")},
			{"type", object{{"type", "string"}, {"const", p.Name}}},
			{"created_at", object{{"type", "string"}, {"format", "date-time"}, {"description", "When the event was written."}}},
			{"data", data},
		}},
		{"required", []string{"id", "type", "created_at", "data"}},
	}
	return object{
		{"operationId", "on" + camel(p.Name)},
		{"tags", []string{p.Tag}},
		{"summary", p.Name},
	}.withText("description", p.Description).
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

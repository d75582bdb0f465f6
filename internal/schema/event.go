package schema

import "fmt"

// mediaEvents is the media type of a stream of server-sent events.
const mediaEvents = "text/event-stream"

// Event is an event of a stream.
type Event struct {
	Name, Description string
	Data              *Schema
	Null              bool // the data may be null
}

// describeEvents describes the events of a stream in their order. OpenAPI 3.1 has
// no words for a stream of events, so this is an extension.
func describeEvents(c *components, events []Event) (object, error) {
	out := object{}
	for _, e := range events {
		data, err := c.schema(e.Data, answers)
		if err != nil {
			return nil, fmt.Errorf("the event %s: %w", e.Name, err)
		}
		if e.Null {
			data = nullable(data)
		}
		out = out.with(e.Name, data.withText("description", e.Description))
	}
	return out, nil
}

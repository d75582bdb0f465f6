package rest

import (
	"fmt"
	"reflect"
)

// mediaEvents is the media type of a stream of server-sent events.
const mediaEvents = "text/event-stream"

// streamed is an event of the group's stream.
type streamed struct {
	name, description string
	data              *schema
	null              bool // the data may be null
}

// AddEvent adds an event to the description of the group's stream. data is a
// value of the type that it carries; a pointer stands for data that may be
// null.
func AddEvent(g *Group, name, description string, data any) {
	t := reflect.TypeOf(data)
	g.events = append(g.events, streamed{name, description, compileType(t), t.Kind() == reflect.Pointer})
}

// describeEvents describes the events, in the order in which they were added.
// OpenAPI 3.1 has no words for a stream of events, so this is an extension.
func (g *Group) describeEvents(c *components) (object, error) {
	out := object{}
	for _, e := range g.events {
		data, err := c.schema(e.data, answers)
		if err != nil {
			return nil, fmt.Errorf("the event %s: %w", e.name, err)
		}
		if e.null {
			data = nullable(data)
		}
		out = out.with(e.name, data.withText("description", e.description))
	}
	return out, nil
}

// shower is a type that stands for another one in JSON: a value that was
// written before it is sent to several devices.
type shower interface {
	// Shows returns a value of the type whose JSON it is.
	Shows() any
}

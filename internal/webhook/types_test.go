package webhook

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
)

// Every type of event there is can be subscribed to and looked for.
func TestEveryTypeCanBeNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of    reflect.Type
		field string
	}{
		{reflect.TypeFor[api.WebhookEndpointCreate](), "Events"},
		{reflect.TypeFor[api.WebhookEndpointUpdate](), "Events"},
		{reflect.TypeFor[eventsInput](), "Type"},
	} {
		f, _ := c.of.FieldByName(c.field)
		named := strings.Split(f.Tag.Get("enum"), ",")
		for _, kind := range api.EventTypes() {
			if !slices.Contains(named, string(kind)) {
				t.Errorf("%s.%s does not take %s", c.of, c.field, kind)
			}
		}
		if len(named) < 17 || slices.Contains(named, "*") != (c.field == "Events") {
			t.Errorf("%s.%s takes %v", c.of, c.field, named)
		}
	}
}

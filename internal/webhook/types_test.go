package webhook

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
)

// An endpoint can subscribe to every type of event.
func TestEveryTypeCanBeNamed(t *testing.T) {
	t.Parallel()
	for _, of := range []reflect.Type{reflect.TypeFor[api.WebhookEndpointCreate](), reflect.TypeFor[api.WebhookEndpointUpdate]()} {
		f, _ := of.FieldByName("Events")
		named := strings.Split(f.Tag.Get("enum"), ",")
		for _, kind := range api.EventTypes() {
			if !slices.Contains(named, string(kind)) {
				t.Errorf("%s.Events does not take %s", of, kind)
			}
		}
		if len(named) < 17 || !slices.Contains(named, "*") {
			t.Errorf("%s.Events takes %v", of, named)
		}
	}
}

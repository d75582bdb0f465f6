package event

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
)

// The list of events can be filtered by every type of event.
func TestEveryTypeCanBeListed(t *testing.T) {
	t.Parallel()
	f, _ := reflect.TypeFor[listInput]().FieldByName("Type")
	named := strings.Split(f.Tag.Get("enum"), ",")
	for _, kind := range api.EventTypes() {
		if !slices.Contains(named, string(kind)) {
			t.Errorf("the filter does not take %s", kind)
		}
	}
	if len(named) < 17 || slices.Contains(named, "*") {
		t.Errorf("the filter takes %v", named)
	}
}

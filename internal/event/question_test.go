package event

import (
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
)

// Only the types that are sent stand in the text of a query. Whatever else somebody asks
// for is a parameter.
func TestOnlyTypesThatAreSentStandInAQuery(t *testing.T) {
	t.Parallel()
	for _, kind := range api.EventTypes() {
		var q question
		q.ofType(kind)
		if got, want := q.text.String(), "type = '"+string(kind)+"'"; got != want || len(q.args) != 0 {
			t.Errorf("%s: %s with %v, want %s", kind, got, q.args, want)
		}
	}
	other := "' OR '1' = '1"
	var q question
	q.ofType(api.EventType(other))
	if text := q.text.String(); strings.Contains(text, other) || len(q.args) != 1 || q.args[0] != other {
		t.Errorf("%s with %v", text, q.args)
	}
}

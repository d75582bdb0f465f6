package poll

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/conclave-rooms/conclave/api"
)

// The query counts as many options as a request may name.
func TestTheQueryCountsAsManyOptionsAsARequestMayName(t *testing.T) {
	t.Parallel()
	options, found := reflect.TypeFor[api.PollCreate]().FieldByName("Options")
	if !found {
		t.Fatal("a request for a poll has no options")
	}
	if got := options.Tag.Get("maxItems"); got != strconv.Itoa(mostOptions) {
		t.Errorf("a request names at most %q options, the votes of %d are counted", got, mostOptions)
	}
}

package probe_test

import (
	"testing"

	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

func TestStories(t *testing.T) {
	t.Parallel()
	servertest.Stories(t)
}

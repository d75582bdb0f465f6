package server_test

import (
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// A receiver of webhooks has ten seconds to answer, as docs/reference/webhooks.md says,
// and so has the server of a calendar.
func TestOtherServersHaveTenSecondsToAnswer(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}) // like the program, it sets no timeout of its own
	for name, got := range map[string]time.Duration{"webhooks": s.Webhooks.Client.Timeout, "calendars": s.Calendars.Client.Timeout} {
		if got != 10*time.Second {
			t.Errorf("%s wait for %v, want 10s", name, got)
		}
	}
}

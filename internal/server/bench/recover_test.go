package bench

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// BenchmarkRecover asks for a recovery of 725,000 events, and reports how long the
// answer takes: for an endpoint that missed all of them, and for one that missed none.
// Queueing them is the work of a job, which does not run here.
func BenchmarkRecover(b *testing.B) {
	const events = 725_000
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			r := serveOnly(b, dbtest.Config(b, engine))
			principal, key := r.workspace(b)
			endpoint := func() string {
				var made struct{ ID string }
				r.call(b, http.MethodPost, "/api/v1/webhooks", key, `{"url": "http://127.0.0.1:9/", "events": ["*"]}`, &made)
				return made.ID
			}
			now := time.Now()
			complete := endpoint()
			servertest.Fill(b, r.DB(), principal.WorkspaceID, principal.AccountID, servertest.Size{Events: events, Endpoint: complete}, now)
			since := now.Add(-time.Hour).UTC().Format(time.RFC3339)
			recover1 := func(id string, want int) time.Duration {
				var answer struct{ Events int }
				began := time.Now()
				r.call(b, http.MethodPost, "/api/v1/webhooks/"+id+"/recover", key, fmt.Sprintf(`{"since": %q}`, since), &answer)
				took := time.Since(began)
				if answer.Events != want {
					b.Fatalf("%d events are recovered, want %d", answer.Events, want)
				}
				return took
			}
			var all, none []time.Duration
			for range b.N {
				all = append(all, recover1(endpoint(), events))
				none = append(none, recover1(complete, 0))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(millis(percentile(all, 0.5)), "all-missed-ms")
			b.ReportMetric(millis(percentile(none, 0.5)), "none-missed-ms")
		})
	}
}

package bench

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// BenchmarkRetention deletes what became too old at once: 259,000 events with their
// deliveries, a day's worth of three a second, and 10,000 seats. Meanwhile somebody
// makes rooms, one after the other. It reports how long that took while nothing was
// deleted and while it was, and how long the deletion took.
func BenchmarkRetention(b *testing.B) {
	const events, meetings = 259_000, 1000 // ten people left each meeting
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			for range b.N {
				r := serveOnly(b, dbtest.Config(b, engine))
				principal, key := r.workspace(b)
				var endpoint struct{ ID string }
				r.call(b, http.MethodPost, "/api/v1/webhooks", key, `{"url": "http://127.0.0.1:9/", "events": ["*"], "enabled": false}`, &endpoint)
				size := servertest.Size{Rooms: meetings, Running: meetings, Events: events, Endpoint: endpoint.ID}
				servertest.Fill(b, r.DB(), principal.WorkspaceID, principal.AccountID, size, time.Now().Add(-31*24*time.Hour))

				make1 := request(http.MethodPost, "/api/v1/rooms", key, `{"name": "Weekly review"}`)
				maker := dial(b, r.address)
				quiet, busy := &team{calls: []func() error{func() error { return maker.do(make1, http.StatusCreated) }}}, &team{}
				busy.calls = quiet.calls
				if err := quiet.work(500); err != nil {
					b.Fatal(err)
				}
				ctx, stop := context.WithCancel(b.Context())
				forgotten := make(chan error, 1)
				began := time.Now()
				go func() {
					forgotten <- errors.Join(r.Webhooks.Forget(ctx), r.PastEvents.Forget(ctx), r.Live.Forget(ctx))
				}()
				var err error
				for going := true; going; {
					if failed := busy.work(10); failed != nil {
						b.Fatal(failed)
					}
					select {
					case err = <-forgotten:
						going = false
					default:
					}
				}
				took := time.Since(began)
				stop()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(0, "ns/op") // most of it is filling
				b.ReportMetric(took.Seconds(), "deletion-s")
				b.ReportMetric(millis(percentile(quiet.took, 0.5)), "quiet-p50-ms")
				b.ReportMetric(millis(percentile(quiet.took, 1)), "quiet-max-ms")
				b.ReportMetric(millis(percentile(busy.took, 0.5)), "busy-p50-ms")
				b.ReportMetric(millis(percentile(busy.took, 0.99)), "busy-p99-ms")
				b.ReportMetric(millis(percentile(busy.took, 1)), "busy-max-ms")
			}
		})
	}
}

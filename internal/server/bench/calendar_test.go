package bench

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/schedule/caldavtest"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
)

// BenchmarkCalendars measures how quickly changes of meetings reach a connected
// calendar: a thousand meetings are scheduled through the API while a CalDAV
// server (Radicale) receives them, until the last one has arrived. It times the
// API's requests with and without the connected calendar.
func BenchmarkCalendars(b *testing.B) {
	each(b, func(b *testing.B, r *rig) {
		const before, changes = 100, 1000
		p, key := r.workspace(b)
		to := caldavtest.Start(b)
		schedule := func(n int) (took []time.Duration) {
			for i := range n {
				began := time.Now()
				var m api.Meeting
				r.call(b, http.MethodPost, "/api/v1/meetings", key, fmt.Sprintf(
					`{"title": "Meeting %d", "starts_at": "2099-11-23T10:00:00Z", "ends_at": "2099-11-23T11:00:00Z", "recurrence": "weekly", "timezone": "Europe/Berlin"}`, i), &m)
				took = append(took, time.Since(began))
			}
			return took
		}
		b.ResetTimer()
		without := schedule(before)
		_, err := r.Calendars.ConnectCalDAV(b.Context(), p.AccountID, mirror.CalDAVRequest{URL: to.URL, User: caldavtest.User, Password: caldavtest.Password})
		if err != nil {
			b.Fatal(err)
		}
		untilWritten(b, to, before)
		began := time.Now()
		with := schedule(changes)
		untilWritten(b, to, before+changes)
		b.ReportMetric(changes/time.Since(began).Seconds(), "entries/s")
		b.ReportMetric(millis(percentile(without, 0.5)), "without-p50-ms")
		b.ReportMetric(millis(percentile(with, 0.5)), "with-p50-ms")
		b.ReportMetric(millis(percentile(with, 0.99)), "with-p99-ms")
	})
}

// untilWritten waits until a calendar has this many events.
func untilWritten(b *testing.B, to *caldavtest.Server, n int) {
	b.Helper()
	deadline := time.Now().Add(10 * time.Minute)
	for to.Count(b) < n {
		if time.Now().After(deadline) {
			b.Fatalf("the calendar has %d events of %d", to.Count(b), n)
		}
		time.Sleep(20 * time.Millisecond) // only the server's files show it, so this polls
	}
}

package bench

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
)

// BenchmarkMeetings lists a calendar of 100,000 meetings, around today and in
// the years before and after, and 10,000 endless series in 20 time zones that
// began up to ten years ago. "changing" moves a series before each list, so
// that the node has to read the change.
func BenchmarkMeetings(b *testing.B) {
	const meetings, series = 100_000, 10_000
	each(b, func(b *testing.B, r *rig) {
		p, key := r.workspace(b)
		last := r.calendar(b, p, key, meetings, series)
		now := time.Now().UTC()
		at := func(t time.Time) string { return t.Format(time.RFC3339) }
		page := func(query string) string { return "/api/v1/meetings?" + query }
		for _, c := range []struct{ name, path string }{
			{"next-30-days", page("limit=25")},
			{"today-100", page("limit=100&from=" + at(now) + "&to=" + at(now.Add(24*time.Hour)))},
			{"one-hour", page("from=" + at(now) + "&to=" + at(now.Add(time.Hour)))},
			{"next-page", page("limit=25&from=" + at(now) + "&to=" + at(now.AddDate(0, 1, 0)) + "&starting_after=" + last)},
			{"in-50-years", page("from=" + at(now.AddDate(50, 0, 0)))},
			{"night-of-a-switch", page("from=2027-03-28T00:00:00Z")},
			{"all-years", page("from=1970-01-01T00:00:00Z&to=9999-01-01T00:00:00Z")},
		} {
			for _, clients := range []int{1, 8} {
				b.Run(fmt.Sprintf("%s/clients=%d", c.name, clients), func(b *testing.B) {
					r.lists(b, key, c.path, clients, nil)
				})
			}
		}
		b.Run("changing/clients=1", func(b *testing.B) {
			n := 0
			r.lists(b, key, page("limit=25"), 1, func() {
				n++
				r.call(b, http.MethodPatch, "/api/v1/meetings/"+last, key, fmt.Sprintf(`{"ends_at": %q}`, now.Add(time.Hour+time.Duration(n%60)*time.Minute).Format(time.RFC3339)), nil)
			})
		})
	})
}

// lists fetches a page repeatedly; before is called before each time and is not
// counted. The processor time is that of the service and the callers, without
// PostgreSQL.
func (r *rig) lists(b *testing.B, key, path string, clients int, before func()) {
	b.Helper()
	t := callers(b, r.address, clients, request(http.MethodGet, path, key, ""), http.StatusOK)
	var used time.Duration
	work := func(n int) {
		began := processorTime(b)
		if err := t.work(n); err != nil {
			b.Fatal(err)
		}
		used += processorTime(b) - began
	}
	if before == nil {
		work(b.N)
	} else {
		for range b.N {
			before()
			work(1)
		}
	}
	b.ReportMetric(micros(used)/float64(b.N), "cpu-µs/op")
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(t.rate(), "req/s")
	b.ReportMetric(micros(percentile(t.took, 0.5)), "p50-µs")
	b.ReportMetric(micros(percentile(t.took, 0.99)), "p99-µs")
}

// calendar fills a workspace's calendar and returns the id of a series that
// starts now. It writes rows, because scheduling so many meetings would take
// longer than the benchmark.
func (r *rig) calendar(b *testing.B, p auth.Principal, key string, meetings, series int) string {
	b.Helper()
	roomID := r.rooms(b, p, 1)
	now := time.Now().UTC().Truncate(time.Hour)
	zones := []string{
		"UTC", "Europe/Berlin", "Europe/London", "Europe/Paris", "Europe/Madrid", "Europe/Warsaw", "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles",
		"America/Sao_Paulo", "Asia/Tokyo", "Asia/Kolkata", "Asia/Shanghai", "Asia/Singapore", "Australia/Sydney", "Pacific/Auckland", "Africa/Cairo", "Africa/Lagos", "Asia/Dubai",
	}
	rules := []string{"daily", "weekdays", "weekly", "weekly", "biweekly", "monthly"}
	row := func(tx *db.Tx, start time.Time, rule string, zone *string, revision int64) error {
		_, err := tx.Exec(b.Context(), `INSERT INTO scheduled_meeting (id, workspace_id, title, description, starts_at, ends_at, room_id, recurrence, recurrence_until, timezone,
			created_by, created_at, updated_at, deleted_at, revision) VALUES ($1, $2, 'Weekly review', 'What happened, and what is next.', $3, $4, $5, $6, NULL, $7, $8, $3, $3, NULL, $9)`,
			id.New(), p.WorkspaceID, start.UnixMilli(), start.Add(time.Hour).UnixMilli(), roomID, rule, zone, p.AccountID, revision)
		return err
	}
	err := r.DB().Write(b.Context(), func(tx *db.Tx) error {
		for i := range meetings {
			// Two years, a meeting every ten minutes.
			if err := row(tx, now.Add(time.Duration(i-meetings/2)*10*time.Minute), "none", nil, 0); err != nil {
				return err
			}
		}
		for i := range series {
			start := now.Add(-time.Duration(i) * 10 * 365 * 24 * time.Hour / time.Duration(series)).Add(time.Duration(i%96) * 15 * time.Minute)
			if err := row(tx, start, rules[i%len(rules)], &zones[i%len(zones)], int64(i+1)); err != nil {
				return err
			}
		}
		_, err := tx.Exec(b.Context(), `INSERT INTO schedule_revision (workspace_id, revision) VALUES ($1, $2)`, p.WorkspaceID, series)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	if r.DB().Engine() == db.PostgreSQL {
		// The server does this by itself within a minute.
		err := r.DB().WriteLoosely(b.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(b.Context(), `ANALYZE scheduled_meeting`)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	var made api.Meeting
	r.call(b, http.MethodPost, "/api/v1/meetings", key, fmt.Sprintf(`{"title": "x", "starts_at": %q, "ends_at": %q, "recurrence": "weekly"}`,
		time.Now().UTC().Format(time.RFC3339), time.Now().UTC().Add(time.Hour).Format(time.RFC3339)), &made)
	return made.ID
}

package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server"
)

// A standby that takes over may lack the last commits, and count the same revision for
// another change. Lists then show what is there, not what the node has in memory.
func TestAListShowsWhatADatabaseHasThatLostCommits(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	r := startAs(t, server.Options{}, func(c *config.Serve) { c.DatabaseURL = where.URL })
	r.token(t, r.room(t, nil), "Ada", "host")
	kept, lost := r.series(t, "Kept"), r.series(t, "Lost")
	if got := r.titles(t); got != "[Kept Lost]" {
		t.Fatalf("before the loss, the list is %s", got)
	}
	d := dbtest.Open(t, where)
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		for _, lose := range []string{
			`UPDATE scheduled_meeting SET title = 'Other', revision = (SELECT revision FROM scheduled_meeting WHERE id = '` + lost + `') WHERE id = '` + kept + `'`,
			`DELETE FROM scheduled_meeting WHERE id = '` + lost + `'`,
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'`,
		} {
			if _, err := tx.Exec(t.Context(), lose); err != nil {
				return fmt.Errorf("%s: %w", lose, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r.within(t, 20*time.Second, "the list shows what the database has", func() bool {
		var list struct{ Data []struct{ Title string } }
		return r.call(t, http.MethodGet, "/api/v1/meetings", r.key, nil, &list) == http.StatusOK && fmt.Sprint(list.Data) == "[{Other}]"
	})
}

// series schedules a daily meeting, and returns its id.
func (r *running) series(t *testing.T, title string) (id string) {
	t.Helper()
	var made struct{ ID string }
	starts := time.Now().Add(time.Hour)
	r.api(t, http.MethodPost, "/meetings", map[string]any{
		"title": title, "starts_at": starts.Format(time.RFC3339), "ends_at": starts.Add(time.Hour).Format(time.RFC3339), "recurrence": "daily",
	}, &made)
	return made.ID
}

// titles lists the titles of the meetings.
func (r *running) titles(t *testing.T) string {
	t.Helper()
	var list struct{ Data []struct{ Title string } }
	r.api(t, http.MethodGet, "/meetings", nil, &list)
	var titles []string
	for _, m := range list.Data {
		titles = append(titles, m.Title)
	}
	return fmt.Sprint(titles)
}

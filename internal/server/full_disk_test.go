package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/server"
)

// PostgreSQL's disk is full: callers should come back, the node is not ready, and both
// end when there is space again.
func TestAFullDiskOfPostgreSQL(t *testing.T) {
	t.Parallel()
	where := dbtest.OnSmallDisk(t)
	r := startAs(t, server.Options{Media: fake.New(time.Now)}, func(c *config.Serve) { c.DatabaseURL = where.URL })
	r.token(t, r.room(t, nil), "Ada", "participant") // secrets that the log must not have
	makeRoom := func() (status int) {
		return r.call(t, http.MethodPost, "/api/v1/rooms", r.key, map[string]any{"name": "Weekly"}, nil)
	}
	r.answersReady(t, http.StatusOK, `"database":"ok"`)
	fill := func(statement string) error {
		return r.service.DB().Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), statement)
			return err
		})
	}
	if err := fill("CREATE TABLE filler (text text)"); err != nil {
		t.Fatal(err)
	}
	var full error
	for i := 0; full == nil && i < 1000; i++ { // 100 MB at most
		full = fill("INSERT INTO filler SELECT repeat('x', 1000) FROM generate_series(1, 100)")
	}
	if !db.Unavailable(full) {
		t.Fatalf("filling the disk ends with: %v", full)
	}
	// Until the pages that exist are full too.
	status := makeRoom()
	for i := 0; status == http.StatusCreated && i < 1000; i++ {
		status = makeRoom()
	}
	if status != http.StatusServiceUnavailable {
		t.Errorf("making a room without space: %d", status)
	}
	r.answersReady(t, http.StatusServiceUnavailable, `"database":"unavailable"`)
	if res := r.ask(t, "/api/v1/rooms", r.key); res.StatusCode != http.StatusOK {
		t.Errorf("listing rooms without space: %d", res.StatusCode)
	}
	if err := fill("DROP TABLE filler"); err != nil {
		t.Fatal(err)
	}
	if status := makeRoom(); status != http.StatusCreated {
		t.Errorf("making a room with space: %d", status)
	}
	r.answersReady(t, http.StatusOK, `"database":"ok"`)
}

package db_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
)

// SQLite learns that a table has grown, as soon as the service runs.
func TestSQLiteGetsStatistics(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), db.Config{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	err = d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO event (id, workspace_id, type, created_at, data)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT CAST(i AS TEXT), 'acme', 'room.created', i, '{}' FROM n`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	running, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); d.Run(running) }()
	defer func() { stop(); <-done }()
	for known := 0; known == 0; {
		err = d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'`).Scan(&known)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var rows string
	for rows == "" {
		err = d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT COALESCE(MAX(stat), '') FROM sqlite_stat1 WHERE idx = 'event_type'`).Scan(&rows)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if rows[:5] != "1000 " {
		t.Errorf("the statistics of event_type are %q, want them to begin with 1000 rows", rows)
	}
}

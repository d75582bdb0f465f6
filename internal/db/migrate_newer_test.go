package db_test

import (
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A program refuses a database that a newer one has migrated.
func TestANewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		err := dbtest.Open(t, where).Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, TRUE)")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		again, err := db.Open(t.Context(), where)
		if err == nil {
			again.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "a newer program made schema 9999") {
			t.Errorf("opening it: %v", err)
		}
	})
}

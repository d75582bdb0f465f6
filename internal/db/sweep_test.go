package db_test

import (
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A sweep deletes a few rows in each transaction, so that others can write between
// them. What was deleted before a failure stays deleted.
func TestASweepDeletesInSteps(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dbtest.Change(t, d, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
			INSERT INTO published (name, value) SELECT 'old/' || (1000 + i), 'x' FROM n`)
		sweep := func() error {
			return db.Sweep(t.Context(), d,
				func(tx *db.Tx, many int) ([]string, error) {
					return db.IDs(t.Context(), tx, `SELECT name FROM published WHERE name LIKE 'old/%' ORDER BY name LIMIT $1`, many)
				},
				func(tx *db.Tx, names []string) error { return db.Delete(t.Context(), tx, "published", "name", names) })
		}
		left := func() string {
			return dbtest.Text(t, d, `SELECT CAST(count(*) AS TEXT) FROM published WHERE name LIKE 'old/%'`)
		}
		free := dbtest.Stick(t, d, "published", "name", "old/1450") // in the third step
		if err := sweep(); err == nil || left() != "100" {
			t.Errorf("while one row cannot be deleted, %s are left (%v), want those of its step", left(), err)
		}
		free()
		if err := sweep(); err != nil || left() != "0" {
			t.Errorf("%s are left (%v)", left(), err)
		}
	})
}

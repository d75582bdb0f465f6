package db_test

import (
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// ReadOne is for one query that changes nothing; anything else is a mistake in the
// code that is noticed at the first run.
func TestReadOneIsForOneQuery(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		one := func(tx *db.Tx) error {
			var n int
			err := tx.QueryRow(t.Context(), `SELECT 1`).Scan(&n)
			if err == nil && n != 1 {
				t.Errorf("read %d", n)
			}
			return err
		}
		if err := d.ReadOne(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		refuses(t, "a second query", func() {
			_ = d.ReadOne(t.Context(), func(tx *db.Tx) error {
				if err := one(tx); err != nil {
					return err
				}
				return one(tx)
			})
		})
		refuses(t, "a change", func() {
			_ = d.ReadOne(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), `DELETE FROM event`)
				return err
			})
		})
	})
}

func refuses(t *testing.T, what string, do func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("ReadOne allowed %s", what)
		}
	}()
	do()
}

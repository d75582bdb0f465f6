package dbtest

import (
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Stick makes one row impossible to delete, until free is called. A test sees from
// what is left how many rows one transaction deletes.
func Stick(t testing.TB, d *db.DB, table, column, value string) (free func()) {
	t.Helper()
	if d.Engine() == db.SQLite {
		Change(t, d, `CREATE TRIGGER stuck BEFORE DELETE ON `+table+` WHEN OLD.`+column+` = '`+value+`' BEGIN SELECT RAISE(ABORT, 'stuck'); END`)
		return func() { Change(t, d, `DROP TRIGGER stuck`) }
	}
	Change(t, d, `CREATE FUNCTION stuck() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''stuck''; END'`)
	Change(t, d, `CREATE TRIGGER stuck BEFORE DELETE ON `+table+` FOR EACH ROW WHEN (OLD.`+column+` = '`+value+`') EXECUTE FUNCTION stuck()`)
	return func() { Change(t, d, `DROP TRIGGER stuck ON `+table) }
}

// Change runs a statement in a transaction of its own.
func Change(t testing.TB, d *db.DB, statement string, args ...any) {
	t.Helper()
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), statement, args...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Text reads one text.
func Text(t testing.TB, d *db.DB, query string, args ...any) (text string) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error { return tx.QueryRow(t.Context(), query, args...).Scan(&text) })
	if err != nil {
		t.Fatal(err)
	}
	return text
}

package dbtest_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// Stored finds the content of a table even while the table is rewritten or the
// log is emptied.
func TestStoredFindsEverything(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := dbtest.Open(t, where)
		exec := func(statement string, args ...any) {
			t.Helper()
			err := d.WriteLoosely(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), statement, args...)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		exec("CREATE TABLE words (word TEXT NOT NULL)")
		for i := range 20 {
			word := fmt.Sprintf("the word of round %d", i)
			exec("INSERT INTO words VALUES ($1)", word)
			var shredding sync.WaitGroup
			shredding.Go(func() {
				for range 3 {
					_ = d.Shred(t.Context(), "words") // it does not matter here whether it succeeds
				}
			})
			if !bytes.Contains(dbtest.Stored(t, where), []byte(word)) {
				t.Errorf("%s was not found", word)
			}
			shredding.Wait()
		}
	})
}

package db_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
)

// The database lies in its data directory, whatever that is called. In the addresses
// that SQLite takes, some characters have a meaning.
func TestADataDirectoryMayHaveAnyName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a#1", "a?b", "a%41", "a b+&=é"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			c := db.Config{Dir: filepath.Join(parent, name), Logger: slog.New(slog.DiscardHandler)}
			d, err := db.Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			if err := d.Write(t.Context(), func(tx *db.Tx) error { return insert(t.Context(), tx, "a") }); err != nil {
				t.Fatal(err)
			}
			if found, err := os.ReadDir(parent); err != nil || len(found) != 1 {
				t.Errorf("beside the data directory there is more: %v, %v", found, err)
			}
			if log, err := os.Stat(filepath.Join(c.Dir, "conclave.db-wal")); err != nil || log.Size() == 0 {
				t.Errorf("the write-ahead log holds nothing: %v", err)
			}
			if err := d.Shred(t.Context(), "account"); err != nil {
				t.Error(err)
			}
			if log, err := os.Stat(filepath.Join(c.Dir, "conclave.db-wal")); err != nil || log.Size() != 0 {
				t.Errorf("the write-ahead log was not emptied: %v", err)
			}
			copied := db.Config{Dir: t.TempDir(), Logger: c.Logger}
			if _, err := db.Copy(t.Context(), c, copied.Dir); err != nil {
				t.Fatal(err)
			}
			again, err := db.Open(t.Context(), copied)
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if n := count(t, again); n != 1 {
				t.Errorf("the copy has %d rows, want 1", n)
			}
		})
	}
}

package backup_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/backup"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// The recordings are in a backup also where the directory of the recordings is a link to
// another disk. If the link leads nowhere, because that disk is not mounted, there is no
// backup.
func TestRecordingsOnAnotherDiskAreInTheBackup(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	dbtest.Open(t, where)
	disk := filepath.Join(t.TempDir(), "disk")
	write(t, filepath.Join(disk, "one", "part"), "sound")
	if err := os.Symlink(disk, filepath.Join(where.Dir, "recordings")); err != nil {
		t.Fatal(err)
	}
	from := backup.Source{Database: where, Recordings: true, Version: "test", Now: time.Now}
	copied := filepath.Join(t.TempDir(), "backup")
	if _, err := backup.Make(t.Context(), from, copied); err != nil {
		t.Fatal(err)
	}
	again := db.Config{Dir: filepath.Join(t.TempDir(), "again"), Logger: where.Logger}
	if _, err := backup.Restore(t.Context(), copied, again); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(filepath.Join(again.Dir, "recordings", "one", "part")); string(content) != "sound" {
		t.Errorf("the restored part holds %q, %v", content, err)
	}

	if err := os.Rename(disk, disk+"-that-is-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Make(t.Context(), from, filepath.Join(t.TempDir(), "backup")); err == nil {
		t.Error("a backup was made without the recordings")
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

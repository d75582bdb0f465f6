package backup_test

import (
	"context"
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

// onceThere is a context that calls a function when it is looked at and a file exists.
type onceThere struct {
	context.Context //nolint:containedctx // it is one

	file string
	call func()
}

// Err looks at the context.
func (c *onceThere) Err() error {
	if _, err := os.Stat(c.file); err == nil {
		c.call()
	}
	return c.Context.Err()
}

// When the disk goes away while a backup is written to it, or data is restored to it,
// the rest is written to the disk below, where the directory of the mount lies. That is
// neither a backup nor a service's data.
func TestADiskThatGoesAwayIsNoticed(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	dbtest.Open(t, where)
	write(t, filepath.Join(where.Dir, "master.key"), "key")
	write(t, filepath.Join(where.Dir, "recordings", "one", "part"), "sound")
	from := backup.Source{Database: where, Recordings: true, Version: "test", Now: time.Now}
	disk := filepath.Join(t.TempDir(), "disk")
	target := filepath.Join(disk, "target")
	goesAway := &onceThere{t.Context(), filepath.Join(target, "master.key"), func() {
		if err := os.Rename(disk, disk+"-that-is-away"); err != nil {
			t.Fatal(err)
		}
	}}
	if _, err := backup.Make(goesAway, from, target); err == nil {
		_, err = backup.Read(t.Context(), target)
		t.Errorf("a backup was made; reading it says %v", err)
	}
	if err := os.RemoveAll(disk); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "backup")
	if _, err := backup.Make(t.Context(), from, whole); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(disk + "-that-is-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(goesAway, whole, db.Config{Dir: target, Logger: where.Logger}); err == nil {
		_, err = os.Stat(goesAway.file)
		t.Errorf("data was restored; its key: %v", err)
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

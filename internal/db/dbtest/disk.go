package dbtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
)

// OnSmallDisk says where a fresh PostgreSQL database is, whose tables are on a disk with
// 24 MB, of which they need about half. The log of the server is elsewhere. Where such a
// disk cannot be made, it skips the test and says why.
func OnSmallDisk(t *testing.T) db.Config {
	t.Helper()
	address := server(t)
	dir, err := os.MkdirTemp("/tmp", "conclave-small-disk-") //nolint:usetesting // t.TempDir is closed to PostgreSQL's account
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("making a small disk needs root and a system that allows it: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	account, err := user.Lookup("postgres")
	if err != nil {
		t.Skipf("PostgreSQL does not run on this machine: %v", err)
	}
	uid, err := strconv.Atoi(account.Uid)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, uid, -1); err != nil {
		t.Fatal(err)
	}
	space := "small_" + id.Random(12, id.Lower)
	if err := admin(t.Context(), address, fmt.Sprintf("CREATE TABLESPACE %s LOCATION '%s'", space, dir)); err != nil {
		t.Fatal(err)
	}
	// The database goes first: what is cleaned up later was made earlier.
	t.Cleanup(func() {
		if err := admin(context.Background(), address, "DROP TABLESPACE "+space); err != nil {
			t.Error(err)
		}
	})
	where := Config(t, db.PostgreSQL)
	u, err := url.Parse(where.URL)
	if err != nil {
		t.Fatal(err)
	}
	if err := admin(t.Context(), address, fmt.Sprintf("ALTER DATABASE %s SET TABLESPACE %s", strings.TrimPrefix(u.Path, "/"), space)); err != nil {
		t.Fatal(err)
	}
	return where
}

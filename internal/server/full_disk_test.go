package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/user"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/server"
)

// PostgreSQL's disk is full: callers should come back, the node is not ready, and both
// end when there is space again.
func TestAFullDiskOfPostgreSQL(t *testing.T) {
	t.Parallel()
	disk := newSmallDisk(t)
	where := dbtest.Config(t, db.PostgreSQL)
	disk.take(t, where)
	r := startAs(t, server.Options{Media: fake.New(time.Now)}, func(c *config.Serve) { c.DatabaseURL = where.URL })
	r.token(t, r.room(t, nil), "Ada", "participant") // secrets that the log must not have
	ready := func(status int, says string) {
		t.Helper()
		r.within(t, patience, fmt.Sprintf("/readyz answers %d with %s", status, says), func() bool {
			res := r.ask(t, "/readyz", "")
			body, err := io.ReadAll(res.Body)
			return err == nil && res.StatusCode == status && strings.Contains(string(body), says)
		})
	}
	makeRoom := func() (status int) {
		return r.call(t, http.MethodPost, "/api/v1/rooms", r.key, map[string]any{"name": "Weekly"}, nil)
	}
	ready(http.StatusOK, `"database":"ok"`)
	filler := connect(t, where.URL)
	if _, err := filler.Exec(t.Context(), "CREATE TABLE filler (text text)"); err != nil {
		t.Fatal(err)
	}
	var full error
	for i := 0; full == nil && i < 1000; i++ { // 100 MB at most
		_, full = filler.Exec(t.Context(), "INSERT INTO filler SELECT repeat('x', 1000) FROM generate_series(1, 100)")
	}
	if !db.Unavailable(full) {
		t.Fatalf("filling the disk ends with: %v", full)
	}
	// Until the pages that exist are full too.
	status := makeRoom()
	for i := 0; status == http.StatusCreated && i < 1000; i++ {
		status = makeRoom()
	}
	if status != http.StatusServiceUnavailable {
		t.Errorf("making a room without space: %d", status)
	}
	ready(http.StatusServiceUnavailable, `"database":"unavailable"`)
	if res := r.ask(t, "/api/v1/rooms", r.key); res.StatusCode != http.StatusOK {
		t.Errorf("listing rooms without space: %d", res.StatusCode)
	}
	if _, err := filler.Exec(t.Context(), "DROP TABLE filler"); err != nil {
		t.Fatal(err)
	}
	if status := makeRoom(); status != http.StatusCreated {
		t.Errorf("making a room with space: %d", status)
	}
	ready(http.StatusOK, `"database":"ok"`)
}

// smallDisk is a tablespace on a disk with 24 MB, of which a new database needs about
// half.
type smallDisk struct {
	admin *pgx.Conn
	space string
}

// newSmallDisk makes a disk. It goes away after the databases that are made later.
func newSmallDisk(t *testing.T) smallDisk {
	t.Helper()
	address := os.Getenv(dbtest.PostgresEnv)
	if address == "" {
		t.Skipf("%s is not set: `make test` starts a PostgreSQL server and sets it", dbtest.PostgresEnv)
	}
	dir, err := os.MkdirTemp("/tmp", "conclave-small-disk-") // t.TempDir is closed to PostgreSQL's account
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("making a small disk needs root and a system that allows it: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	postgres, err := user.Lookup("postgres")
	if err != nil {
		t.Skipf("PostgreSQL does not run on this machine: %v", err)
	}
	uid, err := strconv.Atoi(postgres.Uid)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, uid, -1); err != nil {
		t.Fatal(err)
	}
	d := smallDisk{admin: connect(t, address), space: "small_" + id.Random(12, id.Lower)}
	d.do(t, fmt.Sprintf("CREATE TABLESPACE %s LOCATION '%s'", d.space, dir))
	t.Cleanup(func() { d.do(t, "DROP TABLESPACE "+d.space) })
	return d
}

// take moves a database onto the disk.
func (d smallDisk) take(t *testing.T, where db.Config) {
	t.Helper()
	u, err := url.Parse(where.URL)
	if err != nil {
		t.Fatal(err)
	}
	d.do(t, fmt.Sprintf("ALTER DATABASE %s SET TABLESPACE %s", strings.TrimPrefix(u.Path, "/"), d.space))
}

func (d smallDisk) do(t *testing.T, statement string) {
	t.Helper()
	if _, err := d.admin.Exec(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

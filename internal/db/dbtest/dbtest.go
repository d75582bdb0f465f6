package dbtest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
)

// PostgresEnv names the environment variable with the URL of a PostgreSQL
// server on which tests may make databases. `make test` starts one and sets it.
// Each process leaves one empty database behind, conclave_template_*.
const PostgresEnv = "CONCLAVE_TEST_POSTGRES"

// Each runs the test on a fresh SQLite database and on a fresh PostgreSQL one.
func Each(t *testing.T, test func(t *testing.T, d *db.DB)) {
	t.Helper()
	EachConfig(t, func(t *testing.T, where db.Config) { test(t, Open(t, where)) })
}

// EachConfig does the same for tests that open the databases themselves.
func EachConfig(t *testing.T, test func(t *testing.T, where db.Config)) {
	t.Helper()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			test(t, Config(t, engine))
		})
	}
}

// Config says where a fresh database of an engine is, whose schema is up to
// date. Without a PostgreSQL server it skips the test and says why.
func Config(t testing.TB, engine db.Engine) db.Config {
	t.Helper()
	c := db.Config{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)}
	if engine == db.PostgreSQL {
		c.URL = postgres(t, postgresTemplate(t))
		return c
	}
	if err := os.WriteFile(filepath.Join(c.Dir, "conclave.db"), sqliteTemplate(t), 0o600); err != nil {
		t.Fatalf("copy the database: %v", err)
	}
	return c
}

// Empty says where to make a database of an engine, which does not exist yet.
// Without a PostgreSQL server it skips the test and says why.
func Empty(t testing.TB, engine db.Engine) db.Config {
	t.Helper()
	c := db.Config{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)}
	if engine == db.PostgreSQL {
		c.URL = postgres(t, "template1")
	}
	return c
}

// Open opens a database and closes it with the test.
func Open(t testing.TB, c db.Config) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), c)
	if err != nil {
		t.Fatalf("open the %s database: %v", engineOf(c), err)
	}
	t.Cleanup(d.Close)
	return d
}

func engineOf(c db.Config) db.Engine {
	if c.URL != "" {
		return db.PostgreSQL
	}
	return db.SQLite
}

// Stored is the content of the files of a database. For PostgreSQL these are
// the files of its tables, without the write-ahead log.
func Stored(t testing.TB, c db.Config) []byte {
	t.Helper()
	if engineOf(c) == db.PostgreSQL {
		return storedInPostgres(t, c.URL)
	}
	files, err := filepath.Glob(filepath.Join(c.Dir, "conclave.db*"))
	if err != nil {
		t.Fatalf("find the files of the database: %v", err)
	}
	var all []byte
	// The log comes before the file into which its pages may move meanwhile, so
	// that no page is missed.
	slices.Sort(files)
	for _, file := range slices.Backward(files) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("read the files of the database: %v", err)
		}
		all = append(all, raw...)
	}
	return all
}

func storedInPostgres(t testing.TB, address string) []byte {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatalf("connect to the database: %v", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	for {
		before := tableFiles(t, conn)
		// After this the files hold what the server had in memory, and deleted
		// files are gone.
		if _, err := conn.Exec(t.Context(), "CHECKPOINT"); err != nil {
			t.Fatalf("write the files of the database: %v", err)
		}
		rows, err := conn.Query(t.Context(), `SELECT COALESCE(pg_read_binary_file(file, 0, (pg_stat_file(file, true)).size, true), '')
			FROM (SELECT 'base/' || oid || '/' || pg_ls_dir('base/' || oid) AS file FROM pg_database WHERE datname = current_database()) files`)
		if err != nil {
			t.Fatalf("read the files of the database: %v", err)
		}
		files, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		if err != nil {
			t.Fatalf("read the files of the database: %v", err)
		}
		// The files are listed and then read one after the other. A table that
		// was rewritten meanwhile may have been missed in both of its files.
		if slices.Equal(before, tableFiles(t, conn)) {
			return bytes.Join(files, nil)
		}
	}
}

// tableFiles lists the files that tables are in now.
func tableFiles(t testing.TB, conn *pgx.Conn) []uint32 {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT relfilenode FROM pg_class ORDER BY oid")
	if err != nil {
		t.Fatalf("list the files of the database: %v", err)
	}
	files, err := pgx.CollectRows(rows, pgx.RowTo[uint32])
	if err != nil {
		t.Fatalf("list the files of the database: %v", err)
	}
	return files
}

// server is the address of the test server.
func server(t testing.TB) string {
	t.Helper()
	address := os.Getenv(PostgresEnv)
	if address == "" {
		t.Skipf("%s is not set: `make test` starts a PostgreSQL server and sets it", PostgresEnv)
	}
	return address
}

// postgres makes a copy of a database of the test server, and drops it after
// the test.
func postgres(t testing.TB, template string) string {
	t.Helper()
	server := server(t)
	name := "conclave_" + id.Random(12, id.Lower)
	if err := admin(t.Context(), server, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY FILE_COPY", name, template)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// A database that is left does not affect the test, and disappears with
		// the server.
		if err := admin(context.Background(), server, fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name)); err != nil {
			t.Log(err)
		}
	})
	address, err := named(server, name)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// named is the address of a database of the test server.
func named(server, name string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", fmt.Errorf("%s is not a URL: %w", PostgresEnv, err)
	}
	u.Path = "/" + name
	return u.String(), nil
}

// admin runs a statement on the test server.
func admin(ctx context.Context, server, statement string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("connect to the PostgreSQL of %s: %w", PostgresEnv, err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

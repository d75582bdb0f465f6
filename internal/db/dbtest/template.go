package dbtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
)

// Applying all migrations takes longer than most tests. So a process applies
// them once on each engine, and its tests get copies of the result.

func sqliteTemplate(t testing.TB) []byte {
	t.Helper()
	file, err := migratedSQLite()
	if err != nil {
		t.Fatalf("make the database that tests copy: %v", err)
	}
	return file
}

func postgresTemplate(t testing.TB) string {
	t.Helper()
	server(t)
	name, err := migratedPostgres()
	if err != nil {
		t.Fatalf("make the database that tests copy: %v", err)
	}
	return name
}

// migratedSQLite is the file of a database without content.
var migratedSQLite = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "conclave-template-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// Closing writes the log into the file.
	if err := migrate(db.Config{Dir: dir, Logger: slog.New(slog.DiscardHandler)}); err != nil {
		return nil, err
	}
	file, err = os.ReadFile(filepath.Join(dir, "conclave.db"))
	if err != nil {
		return nil, fmt.Errorf("read the database: %w", err)
	}
	return file, nil
})

// migratedPostgres is the name of a database without content on the test server.
var migratedPostgres = sync.OnceValues(func() (string, error) {
	ctx, server := context.Background(), os.Getenv(PostgresEnv)
	name := "conclave_template_" + id.Random(12, id.Lower)
	if err := admin(ctx, server, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	address, err := named(server, name)
	if err != nil {
		return "", err
	}
	if err := migrate(db.Config{URL: address, Logger: slog.New(slog.DiscardHandler)}); err != nil {
		return "", err
	}
	return name, refuseConnections(ctx, server, name)
})

func migrate(where db.Config) error {
	d, err := db.Open(context.Background(), where)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	d.Close()
	return nil
}

// refuseConnections lets no new connection into a database, and waits until the server
// has ended the others, because PostgreSQL cannot copy a database in use.
func refuseConnections(ctx context.Context, server, name string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("connect to the PostgreSQL of %s: %w", PostgresEnv, err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "ALTER DATABASE "+name+" WITH ALLOW_CONNECTIONS FALSE"); err != nil {
		return fmt.Errorf("close the database: %w", err)
	}
	if _, err := conn.Exec(ctx, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1", name); err != nil {
		return fmt.Errorf("end the connections: %w", err)
	}
	return nil
}

package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/conclave-rooms/conclave/internal/fault"
)

// sqliteName is the database's file in the data directory, and in a copy of it.
const sqliteName = "conclave.db"

// Engine says which database is configured.
func (c Config) Engine() Engine {
	if c.URL != "" {
		return PostgreSQL
	}
	return SQLite
}

// CopyName is the name of the file that Copy writes.
func CopyName(e Engine) string {
	if e == PostgreSQL {
		return "conclave.dump"
	}
	return sqliteName
}

// Copy writes a copy of the database, as it is at one moment, into a directory,
// and returns the file's name. Others may write to the database meanwhile. Its
// schema stays as it is. PostgreSQL is copied by its own pg_dump.
func Copy(ctx context.Context, c Config, dir string) (string, error) {
	if err := c.Begun(); err != nil {
		return "", err
	}
	name := CopyName(c.Engine())
	file := filepath.Join(dir, name)
	// The file has the right mode before anything is written into it.
	w, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator names the directory
	if err != nil {
		return "", err
	}
	defer func() { _ = w.Close() }()
	if c.Engine() == PostgreSQL {
		err = postgresTool(ctx, c.URL, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--file="+file)
	} else {
		err = copySQLite(ctx, c.Dir, file)
	}
	if err == nil {
		err = w.Sync() // the file is the same, no matter who wrote it
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(file))
	}
	return name, nil
}

// copySQLite lets SQLite write the copy. It is smaller than the original,
// because it has no free pages.
func copySQLite(ctx context.Context, dir, file string) error {
	from := filepath.Join(dir, sqliteName)
	pool, err := openPool(from, "mode=rw&_pragma=busy_timeout(10000)")
	if err != nil {
		return fmt.Errorf("open %s: %w", from, err)
	}
	defer func() { _ = pool.Close() }()
	if _, err := pool.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

// Load fills a PostgreSQL database that has no tables from a file that Copy
// wrote. It does so in one transaction.
func Load(ctx context.Context, c Config, file string) error {
	d := &DB{engine: PostgreSQL, url: c.URL, log: c.Logger, asked: func(string) {}}
	if err := d.openPostgres(c.URL); err != nil {
		return err
	}
	defer d.Close()
	if err := d.answers(ctx); err != nil {
		return err
	}
	var tables int
	count := "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()"
	if err := d.read.QueryRowContext(ctx, count).Scan(&tables); err != nil {
		return fmt.Errorf("ask which tables there are: %w", err)
	}
	if tables > 0 {
		return fault.BadParameter("database-url", "The database has tables already. Name one without any.")
	}
	return postgresTool(ctx, c.URL, "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", file)
}

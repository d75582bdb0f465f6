package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// Examination is what can be said about a database without changing it.
type Examination struct {
	Server  string        // what it is, with its version
	Schema  int64         // the version of the schema; 0: there is none yet
	Known   int64         // the version that this program makes
	Durable bool          // a commit waits for the disk
	Skew    time.Duration // by how much this machine's clock is ahead of it
}

// Examine looks at a database. Open would bring its schema up to date.
func Examine(ctx context.Context, c Config) (Examination, error) {
	d := &DB{engine: SQLite, url: c.URL, log: slog.New(slog.DiscardHandler), asked: func(string) {}, observe: func(Transaction) {}}
	x := Examination{Server: "SQLite", Durable: true}
	if c.URL != "" {
		d.engine = PostgreSQL
		if err := d.openPostgres(c.URL); err != nil {
			return x, err
		}
	} else {
		if _, err := os.Stat(filepath.Join(c.Dir, sqliteName)); errors.Is(err, fs.ErrNotExist) {
			return x, nil
		}
		if err := d.openSQLite(c.Dir); err != nil {
			return x, err
		}
	}
	defer d.Close()
	if err := d.Ping(ctx); err != nil {
		return x, err
	}
	if err := d.examineSchema(ctx, &x); err != nil {
		return x, err
	}
	if d.engine == SQLite {
		return x, nil
	}
	var fsync, commit string
	err := d.read.QueryRowContext(ctx, `SELECT 'PostgreSQL ' || current_setting('server_version'), current_setting('fsync'), current_setting('synchronous_commit')`).Scan(&x.Server, &fsync, &commit)
	if err != nil {
		return x, fmt.Errorf("read the server's settings: %w", err)
	}
	x.Durable = fsync == "on" && commit != "off"
	read, err := d.postgresTime(ctx)
	if err != nil {
		return x, fmt.Errorf("ask the database for its time: %w", err)
	}
	x.Skew = c.Wall().Sub(read)
	return x, nil
}

// examineSchema reads which version the schema has. A database that no migration was
// applied to has no table of versions.
func (d *DB) examineSchema(ctx context.Context, x *Examination) error {
	provider, err := d.migrations(d.read)
	if err != nil {
		return err
	}
	sources := provider.ListSources()
	x.Known = sources[len(sources)-1].Version
	table := `SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'goose_db_version'`
	if d.engine == PostgreSQL {
		table = `SELECT COUNT(*) FROM pg_tables WHERE tablename = 'goose_db_version' AND schemaname = current_schema()`
	}
	var tables int
	if err := d.read.QueryRowContext(ctx, table).Scan(&tables); err != nil {
		return fmt.Errorf("look for the schema: %w", err)
	}
	if tables == 0 {
		return nil
	}
	if err := d.read.QueryRowContext(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version`).Scan(&x.Schema); err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	return nil
}

package db

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate applies the missing migrations, on one node at a time: PostgreSQL has
// an advisory lock for it, SQLite has one writer.
func (d *DB) migrate(ctx context.Context) error {
	pool := d.write
	if d.engine == PostgreSQL {
		config, err := pgx.ParseConfig(d.url)
		if err != nil {
			return fmt.Errorf("read the database URL: %w", err)
		}
		unlimit(config)
		pool = stdlib.OpenDB(*config)
		defer func() { _ = pool.Close() }()
	}
	provider, err := d.migrations(pool)
	if err != nil {
		return err
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, r := range results {
		d.log.InfoContext(ctx, "database migrated", "migration", nameOf(r.Source), "duration_ms", r.Duration.Milliseconds())
	}
	return notNewer(ctx, provider)
}

// notNewer refuses a database that a newer program has changed: this program
// does not know what its tables mean.
func notNewer(ctx context.Context, provider *goose.Provider) error {
	has, err := provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	sources := provider.ListSources()
	if knows := sources[len(sources)-1].Version; has > knows {
		return fmt.Errorf("a newer program made schema %d, and this one knows up to %d: use the newer program, or restore a backup from before", has, knows)
	}
	return nil
}

// nameOf is a migration's file, or the name of one that is a function.
func nameOf(s *goose.Source) string {
	if s.Path == "" && s.Version == unsampledVersion {
		return "0012_unsampled"
	}
	return s.Path
}

// migrations prepares the migrations, which run on the connections of a pool.
func (d *DB) migrations(pool *sql.DB) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("find the migrations: %w", err)
	}
	dialect, options := goose.DialectSQLite3, []goose.ProviderOption{goose.WithGoMigrations(d.unsampled())}
	if d.engine == PostgreSQL {
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, fmt.Errorf("make the migration lock: %w", err)
		}
		dialect, options = goose.DialectPostgres, append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(dialect, pool, files, options...)
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return provider, nil
}

const unsampledVersion = 12

// unsampled is a migration for one engine: PostgreSQL must not sample ballots for its
// statistics, where they would outlive the poll.
func (d *DB) unsampled() *goose.Migration {
	return goose.NewGoMigration(unsampledVersion, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		if d.engine == SQLite {
			return nil
		}
		_, err := tx.ExecContext(ctx, `ALTER TABLE poll_ballots ALTER COLUMN voters SET STATISTICS 0, ALTER COLUMN ballots SET STATISTICS 0`)
		return err //nolint:wrapcheck // goose names the migration
	}}, nil)
}

package db

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate applies the migrations that are missing. On PostgreSQL an advisory
// lock lets one node at a time do it; on SQLite the one writer does.
func (d *DB) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return fmt.Errorf("find the migrations: %w", err)
	}
	dialect, options := goose.DialectSQLite3, []goose.ProviderOption{}
	if d.engine == PostgreSQL {
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return fmt.Errorf("make the migration lock: %w", err)
		}
		dialect, options = goose.DialectPostgres, append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(dialect, d.write, files, options...)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	for _, r := range results {
		d.log.InfoContext(ctx, "database migrated", "migration", r.Source.Path, "duration_ms", r.Duration.Milliseconds())
	}
	return nil
}

package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"
)

// Steps is a database whose migrations are applied one by one.
type Steps struct {
	SQL *sql.DB // one connection

	migrations *goose.Provider
}

// OpenSteps opens a database and applies no migration.
func OpenSteps(c Config) (s *Steps, stop func(), err error) {
	d := &DB{engine: c.Engine(), url: c.URL, log: slog.New(slog.DiscardHandler), connections: DefaultConnections}
	if c.URL != "" {
		err = d.openPostgres(c.URL)
	} else {
		err = d.openSQLite(c.Dir)
	}
	if err != nil {
		return nil, nil, err
	}
	steps, err := d.migrations(d.write)
	return &Steps{SQL: d.write, migrations: steps}, d.Close, err
}

// Next applies the next migration, and returns its name; "" when there is none.
func (s *Steps) Next(ctx context.Context) (name string, err error) {
	step, err := s.migrations.UpByOne(ctx)
	if errors.Is(err, goose.ErrNoNextVersion) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("apply the next migration: %w", err)
	}
	return nameOf(step.Source), nil
}

// Upcoming is the name of the migration that Next will apply.
func (s *Steps) Upcoming(ctx context.Context) (name string, err error) {
	at, err := s.migrations.GetDBVersion(ctx)
	if err != nil {
		return "", fmt.Errorf("read the schema's version: %w", err)
	}
	for _, source := range s.migrations.ListSources() {
		if source.Version > at {
			return nameOf(source), nil
		}
	}
	return "", errors.New("there is no other migration")
}

// Back takes the last migration back.
func (s *Steps) Back(ctx context.Context) error {
	if _, err := s.migrations.Down(ctx); err != nil {
		return fmt.Errorf("take a migration back: %w", err)
	}
	return nil
}

// LockAt opens a session for a claim at an address, and closes it again.
func LockAt(ctx context.Context, url string) error {
	conn, err := (&DB{engine: PostgreSQL, url: url}).lockPostgres(ctx, true)
	closeSoon(ctx, conn)
	return err
}

// RewriteAt rewrites a table of the database at an address.
func RewriteAt(ctx context.Context, url string, patience time.Duration) error {
	return (&DB{engine: PostgreSQL, url: url, patience: patience}).rewrite(ctx, "account")
}

// UnusedClosed is how many connections were closed because they were not in use.
func (d *DB) UnusedClosed() int64 { return d.write.Stats().MaxIdleClosed }

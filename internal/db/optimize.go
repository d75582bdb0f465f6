package db

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/loop"
)

// optimizeEvery is how often SQLite may bring its statistics up to date.
const optimizeEvery = time.Hour

// Run does what a database needs, until ctx ends. For PostgreSQL it compares the
// clocks. For SQLite it brings the statistics up to date by which the database
// chooses its indexes, which PostgreSQL's autovacuum does by itself.
func (d *DB) Run(ctx context.Context) {
	if d.engine == PostgreSQL {
		d.keepTime(ctx)
		return
	}
	loop.Every(ctx, optimizeEvery, d.optimize, func(err error) {
		d.log.WarnContext(ctx, "the statistics of the database could not be brought up to date; trying again in an hour", "error", err)
	})
}

// optimize lets SQLite look at tables that have grown much since it last did. It
// reads a sample of each, so that writers do not wait long.
func (d *DB) optimize(ctx context.Context) error {
	// The flag makes it look at all tables: otherwise it only looks at those that
	// this connection has queried, and most are queried by others.
	if _, err := d.write.ExecContext(ctx, "PRAGMA optimize = 0x10002"); err != nil {
		return fmt.Errorf("bring the statistics up to date: %w", err)
	}
	return nil
}

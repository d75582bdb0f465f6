package schedule

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/loop"
)

const (
	// keepFor is how long a cancelled meeting stays in the database
	// (docs/reference/retention.md).
	keepFor = 30 * 24 * time.Hour
	// forgetEvery is how often old cancelled meetings are deleted.
	forgetEvery = time.Hour
)

// Run deletes meetings that were cancelled thirty days ago, every hour, until ctx
// ends.
func (s *Service) Run(ctx context.Context) {
	loop.Every(ctx, forgetEvery, s.Forget, func(err error) {
		s.Logger.ErrorContext(ctx, "old cancelled meetings could not be deleted; trying again in an hour", "error", err)
	})
}

// ReadAnew makes the next lists read all series from the database. It is called when
// the database may have lost commits, and with them revisions.
func (s *Service) ReadAnew() { s.index.forget() }

// Forget deletes the meetings that were cancelled thirty days ago.
func (s *Service) Forget(ctx context.Context) error {
	before := s.Now().Add(-keepFor)
	return db.Sweep(ctx, s.DB,
		func(tx *db.Tx, many int) ([]string, error) { return cancelledBefore(ctx, tx, before, many) },
		func(tx *db.Tx, ids []string) error { return deleteMeetings(ctx, tx, ids) })
}

package join

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/loop"
)

const (
	// forgetEvery is how often old links are deleted.
	forgetEvery = time.Hour
	// keepExpired is how long an expired link is remembered
	// (docs/reference/retention.md), so that people who open it learn the reason.
	keepExpired = 30 * 24 * time.Hour
)

// keepForgetting forgets what is over until ctx ends.
func (s *Service) keepForgetting(ctx context.Context) {
	loop.Every(ctx, forgetEvery, s.Forget, func(err error) {
		s.Logger.ErrorContext(ctx, "old join links could not be deleted; trying again in an hour", "error", err)
	})
}

// Forget deletes the join links that expired thirty days ago, and those of
// rooms that were deleted.
func (s *Service) Forget(ctx context.Context) error {
	before := s.Now().Add(-keepExpired)
	remove := func(tx *db.Tx, ids []string) error { return deleteLinks(ctx, tx, ids) }
	err := db.Sweep(ctx, s.DB, func(tx *db.Tx, many int) ([]string, error) { return oldLinks(ctx, tx, before, many) }, remove)
	if err != nil {
		return err
	}
	return db.Sweep(ctx, s.DB, func(tx *db.Tx, many int) ([]string, error) { return linksOfDeletedRooms(ctx, tx, many) }, remove)
}

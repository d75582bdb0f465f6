package webhook

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/loop"
)

// forgetEvery is how often old deliveries and expired secrets are deleted.
const forgetEvery = time.Hour

// Run deletes what is old or has expired, every hour, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	loop.Every(ctx, forgetEvery, s.Forget, func(err error) {
		s.Logger.ErrorContext(ctx, "old deliveries and secrets could not be deleted; trying again in an hour", "error", err)
	})
}

// Forget deletes the deliveries that are older than any kept event, and the previous
// secrets that have expired. It also finishes the disabling and deleting of endpoints
// that the service did not finish before it stopped.
func (s *Service) Forget(ctx context.Context) error {
	now := s.Now()
	err := s.DB.WriteLoosely(ctx, func(tx *db.Tx) error { return deleteExpiredSecrets(ctx, tx, now) })
	if err != nil {
		return err
	}
	before := now.Add(-event.KeepFor)
	var endpoints []deliveryTarget
	err = s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		endpoints, err = deliveryTargets(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	for _, e := range endpoints {
		switch {
		case !e.exists:
			err = s.erase(ctx, e.id)
		case !e.enabled:
			err = s.drop(ctx, e.id)
		}
		if err != nil {
			return err
		}
		err = s.inBatches(ctx, func(tx *db.Tx) (int64, error) { return forgetDeliveries(ctx, tx, e.id, before, batchSize) })
		if err != nil {
			return err
		}
	}
	return nil
}

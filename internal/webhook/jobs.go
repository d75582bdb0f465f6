package webhook

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

const (
	// forgetEvery is how often old events and deliveries are deleted, and
	// forgetAtOnce how many in one transaction, so that nobody waits for it.
	forgetEvery  = time.Hour
	forgetAtOnce = 500
)

// Run deletes what is older than thirty days until ctx ends.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(forgetEvery)
	defer tick.Stop()
	for {
		if err := s.Forget(ctx); err != nil && ctx.Err() == nil {
			s.Logger.ErrorContext(ctx, "old events could not be deleted; trying again in an hour", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Forget deletes the events and deliveries that are older than thirty days.
func (s *Service) Forget(ctx context.Context) error {
	before := s.Now().Add(-keepFor)
	var endpoints []string
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		endpoints, err = everyEndpoint(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	for _, endpointID := range endpoints {
		err := s.untilNone(ctx, func(tx *db.Tx) (int64, error) {
			return forgetDeliveries(ctx, tx, endpointID, before, forgetAtOnce)
		})
		if err != nil {
			return err
		}
	}
	return s.untilNone(ctx, func(tx *db.Tx) (int64, error) { return s.Events.Forget(ctx, tx, before, forgetAtOnce) })
}

// untilNone deletes some rows at a time until there are none left.
func (s *Service) untilNone(ctx context.Context, forget func(tx *db.Tx) (int64, error)) error {
	for {
		var n int64
		err := s.DB.WriteLoosely(ctx, func(tx *db.Tx) (err error) {
			n, err = forget(tx)
			return err
		})
		if err != nil || n < forgetAtOnce {
			return err
		}
	}
}

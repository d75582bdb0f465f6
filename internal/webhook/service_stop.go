package webhook

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// batchSize is how many deliveries one transaction ends or deletes. An endpoint
// that was down for days has a long backlog, and other writers must not have to
// wait until all of it is done.
const batchSize = 500

// drop ends every delivery to a disabled endpoint that is under way. The endpoint
// is disabled first: if the service stops before drop has finished, each
// remaining job finds the endpoint disabled when it is due.
func (s *Service) drop(ctx context.Context, endpointID string) error {
	return s.inBatches(ctx, func(tx *db.Tx) (int64, error) { return s.dropBatch(ctx, tx, endpointID) })
}

// dropBatch ends all deliveries to an endpoint that are being sent, and a batch of
// those that wait.
func (s *Service) dropBatch(ctx context.Context, tx *db.Tx, endpointID string) (int64, error) {
	ids, err := s.Jobs.Drop(ctx, tx, endpointID, batchSize)
	if err != nil {
		return 0, err
	}
	return int64(len(ids)), failDeliveries(ctx, tx, ids, errorDisabled)
}

// erase deletes all deliveries of a deleted endpoint.
func (s *Service) erase(ctx context.Context, endpointID string) error {
	if err := s.drop(ctx, endpointID); err != nil {
		return err
	}
	return s.inBatches(ctx, func(tx *db.Tx) (int64, error) { return deleteDeliveries(ctx, tx, endpointID, batchSize) })
}

// giveUp disables an endpoint that has failed for too long.
func (s *Service) giveUp(ctx context.Context, tx *db.Tx, e Endpoint, now time.Time) error {
	disabled, err := disableFailing(ctx, tx, e.ID, now.Add(-failingFor))
	if err != nil || !disabled {
		return err
	}
	tx.AfterCommit(func() {
		s.Logger.WarnContext(ctx, "a webhook endpoint was disabled: nothing but failures for five days",
			"endpoint", e.ID, "workspace_id", e.WorkspaceID, "failing_since", e.FailingSince)
	})
	_, err = s.dropBatch(ctx, tx, e.ID) // the next job that is due drops the rest
	return err
}

// inBatches runs do, each time in a transaction of its own, until it returns less
// than a full batch.
func (s *Service) inBatches(ctx context.Context, do func(tx *db.Tx) (int64, error)) error {
	for {
		var n int64
		err := s.DB.WriteLoosely(ctx, func(tx *db.Tx) (err error) {
			n, err = do(tx)
			return err
		})
		if err != nil || n < batchSize {
			return err
		}
	}
}

package webhook

import (
	"context"
	"errors"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// batchSize is how many deliveries one transaction ends or deletes. An endpoint
// that was down for days has a long backlog, and other writers must not have to
// wait until all of it is done.
const batchSize = 500

// errEnabled rolls back a transaction that has dropped jobs of an endpoint that is
// enabled again.
var errEnabled = errors.New("the webhook endpoint is enabled")

// drop ends every delivery to a disabled or deleted endpoint that is under way. The
// endpoint is disabled first: if the service stops before drop has finished, each
// remaining job finds the endpoint disabled when it is due. If the endpoint is
// enabled meanwhile, what is left stays, and so does every event that follows.
func (s *Service) drop(ctx context.Context, endpointID string) error {
	err := s.inBatches(ctx, func(tx *db.Tx) (int64, error) { return s.dropBatch(ctx, tx, endpointID) })
	if errors.Is(err, errEnabled) {
		return nil
	}
	return err
}

// dropBatch ends all deliveries to an endpoint that are being sent, and a batch of
// those that wait. It returns errEnabled if the endpoint is enabled. It looks after
// it has taken the jobs: in a loose transaction a job that was added since the
// endpoint was enabled can be among them only if that can be seen by then.
func (s *Service) dropBatch(ctx context.Context, tx *db.Tx, endpointID string) (int64, error) {
	ids, err := s.Jobs.Drop(ctx, tx, endpointID, batchSize)
	if err != nil {
		return 0, err
	}
	enabled, err := isEnabled(ctx, tx, endpointID)
	if err != nil {
		return 0, err
	}
	if enabled {
		return 0, errEnabled
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

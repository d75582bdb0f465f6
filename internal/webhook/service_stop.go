package webhook

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// someAtOnce is how many deliveries one transaction ends or deletes. An
// endpoint that was dead for days has a long backlog, and nobody is to wait for
// it.
const someAtOnce = 500

// drop ends every delivery to a disabled endpoint that is under way. The
// endpoint is disabled before: whatever of its jobs is left when the service
// stops in between finds that out when it is due.
func (s *Service) drop(ctx context.Context, endpointID string) error {
	return s.untilNone(ctx, func(tx *db.Tx) (int64, error) { return s.dropSome(ctx, tx, endpointID) })
}

// dropSome ends all deliveries to an endpoint that are on the wire, and some of
// those that wait.
func (s *Service) dropSome(ctx context.Context, tx *db.Tx, endpointID string) (int64, error) {
	ids, err := s.Jobs.Drop(ctx, tx, endpointID, someAtOnce)
	if err != nil {
		return 0, err
	}
	return int64(len(ids)), failDeliveries(ctx, tx, ids, errorDisabled)
}

// erase deletes everything that is left of an endpoint that was deleted.
func (s *Service) erase(ctx context.Context, endpointID string) error {
	if err := s.drop(ctx, endpointID); err != nil {
		return err
	}
	return s.untilNone(ctx, func(tx *db.Tx) (int64, error) { return deleteDeliveries(ctx, tx, endpointID, someAtOnce) })
}

// giveUp disables an endpoint that did nothing but fail for too long.
func (s *Service) giveUp(ctx context.Context, tx *db.Tx, e Endpoint, now time.Time) error {
	disabled, err := disableFailing(ctx, tx, e.ID, now.Add(-failingFor))
	if err != nil || !disabled {
		return err
	}
	tx.AfterCommit(func() {
		s.Logger.WarnContext(ctx, "a webhook endpoint was disabled: nothing but failures for five days",
			"endpoint", e.ID, "workspace_id", e.WorkspaceID, "failing_since", e.FailingSince)
	})
	_, err = s.dropSome(ctx, tx, e.ID) // the first of those that are left drops the rest
	return err
}

// untilNone does something to some rows at a time until there are none left.
func (s *Service) untilNone(ctx context.Context, do func(tx *db.Tx) (int64, error)) error {
	for {
		var n int64
		err := s.DB.WriteLoosely(ctx, func(tx *db.Tx) (err error) {
			n, err = do(tx)
			return err
		})
		if err != nil || n < someAtOnce {
			return err
		}
	}
}

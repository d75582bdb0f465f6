package mirror

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/schedule"
)

// Changed counts a change of a meeting for the calendars of the account that scheduled
// it, and queues jobs, in the transaction of the change.
func (s *Service) Changed(ctx context.Context, tx *db.Tx, before *schedule.Meeting, after schedule.Meeting) error {
	all, err := connectionsOf(ctx, tx, after.CreatedBy)
	if err != nil || len(all) == 0 {
		return err
	}
	// A meeting that was over before the calendar was connected, and still is, is not
	// added.
	wanted := !after.Deleted()
	if wanted && before != nil {
		if wanted, err = s.Schedule.Ahead(after, s.Now()); err != nil {
			return err
		}
	}
	for _, c := range all {
		mirrorID, err := want(ctx, tx, c.ID, after.ID)
		if err != nil {
			return err
		}
		if mirrorID == "" && wanted && c.Status != Leaving {
			if mirrorID, err = add(ctx, tx, c.ID, after); err != nil {
				return err
			}
		}
		if mirrorID == "" || !c.works() {
			continue // connecting again queues what is pending
		}
		if err := s.Jobs.Ensure(ctx, tx, mirrorID, c.ID, c.notBefore(s.Now())); err != nil {
			return err
		}
	}
	return nil
}

// ManyChanged queues a fill of the accounts' calendars, in the transaction that changed
// many of their meetings. The fill finds the mirrors that are behind.
func (s *Service) ManyChanged(ctx context.Context, tx *db.Tx, accountIDs []string) error {
	for _, accountID := range accountIDs {
		if err := s.requestFill(ctx, tx, accountID); err != nil {
			return err
		}
	}
	return nil
}

// StandingChanged queues a fill of an account's calendars after it joined or left a
// workspace.
func (s *Service) StandingChanged(ctx context.Context, tx *db.Tx, _, accountID string) error {
	return s.requestFill(ctx, tx, accountID)
}

// requestFill queues a fill of all calendars of an account.
func (s *Service) requestFill(ctx context.Context, tx *db.Tx, accountID string) error {
	all, err := connectionsOf(ctx, tx, accountID)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := countFillRequest(ctx, tx, c.ID); err != nil {
			return err
		}
		if !c.works() {
			continue
		}
		if err := s.Jobs.Ensure(ctx, tx, fillJob(c.ID), c.ID, s.Now()); err != nil {
			return err
		}
	}
	return nil
}

// works reports whether requests may be sent to the calendar, now or after a pause.
func (c Connection) works() bool { return c.Status == Connected || c.Status == Leaving }

// notBefore returns when the next request may be sent.
func (c Connection) notBefore(now time.Time) time.Time {
	if c.PausedUntil.After(now) {
		return c.PausedUntil
	}
	return now
}

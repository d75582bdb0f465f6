package mirror

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/schedule"
)

// Changed promises a change of a meeting to the calendars of the account that
// scheduled it, in the transaction of the change.
func (s *Service) Changed(ctx context.Context, tx *db.Tx, before *schedule.Meeting, after schedule.Meeting) error {
	all, err := connectionsOf(ctx, tx, after.CreatedBy)
	if err != nil || len(all) == 0 {
		return err
	}
	// A meeting that was over before the calendar was connected, and still is,
	// stays out of it.
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
			continue // connecting again finds what is pending
		}
		if err := s.Jobs.Ensure(ctx, tx, mirrorID, c.ID, c.notBefore(s.Now())); err != nil {
			return err
		}
	}
	return nil
}

// ManyChanged has the calendars of some accounts gone through, in the
// transaction that changed meetings of theirs: the mirrors of these are behind.
func (s *Service) ManyChanged(ctx context.Context, tx *db.Tx, accountIDs []string) error {
	for _, accountID := range accountIDs {
		if err := s.fillAgain(ctx, tx, accountID); err != nil {
			return err
		}
	}
	return nil
}

// StandingChanged has the calendars of an account gone through after it joined
// a workspace or left one.
func (s *Service) StandingChanged(ctx context.Context, tx *db.Tx, _, accountID string) error {
	return s.fillAgain(ctx, tx, accountID)
}

// fillAgain has the calendars of an account gone through.
func (s *Service) fillAgain(ctx context.Context, tx *db.Tx, accountID string) error {
	all, err := connectionsOf(ctx, tx, accountID)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := ask(ctx, tx, c.ID); err != nil {
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

// works says whether requests may be sent to the calendar, now or after a pause.
func (c Connection) works() bool { return c.Status == Connected || c.Status == Leaving }

// notBefore is when the next request may be sent.
func (c Connection) notBefore(now time.Time) time.Time {
	if c.PausedUntil.After(now) {
		return c.PausedUntil
	}
	return now
}

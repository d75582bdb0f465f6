package mirror

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/schedule"
)

const (
	// batchSize is how many meetings one transaction handles, so that other writers
	// do not wait for long.
	batchSize = 200
	// leaveCheckEvery is how often a job checks whether a leaving calendar has
	// entries left.
	leaveCheckEvery = time.Minute
)

// fill checks the meetings of a connection. It adds mirrors for upcoming meetings, and
// queues a job for every mirror that is behind, or whose entry has to be removed because
// the person left the workspace.
func (s *Service) fill(ctx context.Context, j job.Job, connectionID string) job.Result {
	var (
		c     Connection
		found bool
	)
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		c, found, err = findConnection(ctx, tx, connectionID)
		return err
	})
	switch {
	case err != nil:
		return s.later(ctx, j, retrySoon, err)
	case !found || !c.works():
		return job.Done(nil)
	case c.Status == Leaving:
		return s.leave(ctx, j, c)
	}
	// Mirrors that addAhead adds have jobs already, so queue the others first.
	if _, err = s.queuePending(ctx, c); err == nil {
		err = s.addAhead(ctx, c)
	}
	if err != nil {
		return s.later(ctx, j, retrySoon, err)
	}
	return job.Done(func(ctx context.Context, tx *db.Tx) error {
		current, err := filled(ctx, tx, c.ID, c.asked)
		if err != nil || current {
			return err
		}
		return s.Jobs.Ensure(ctx, tx, j.ID, c.ID, s.Now())
	})
}

// leave queues the removal of all entries from a calendar, and deletes the connection
// once they are removed. Entries that cannot be removed within seven days stay.
func (s *Service) leave(ctx context.Context, j job.Job, c Connection) job.Result {
	now := s.Now()
	left, err := 0, error(nil)
	if now.Sub(c.StatusAt) < givenUpAfter {
		left, err = s.queuePending(ctx, c)
	}
	switch {
	case err != nil:
		return s.later(ctx, j, retrySoon, err)
	case left > 0:
		return job.Again(now.Add(leaveCheckEvery), func(ctx context.Context, tx *db.Tx) error {
			same, err := unchanged(ctx, tx, c)
			if err != nil || same {
				return err
			}
			return s.requeueIfChanged(ctx, tx, j.ID, c)
		})
	}
	return job.Done(func(ctx context.Context, tx *db.Tx) error { return s.gone(ctx, tx, j.ID, c) })
}

// gone deletes a connection that is leaving. If the calendar was connected again
// meanwhile, the connection stays, and the job that wanted to delete it runs again.
func (s *Service) gone(ctx context.Context, tx *db.Tx, jobID string, c Connection) error {
	deleted, err := deleteConnection(ctx, tx, c)
	if err != nil || deleted {
		return err
	}
	return s.requeueIfChanged(ctx, tx, jobID, c)
}

// addAhead adds mirrors for the account's upcoming meetings.
func (s *Service) addAhead(ctx context.Context, c Connection) error {
	for after := ""; ; {
		var last string
		err := s.DB.WriteLoosely(ctx, func(tx *db.Tx) error {
			meetings, err := s.Schedule.MadeBy(ctx, tx, c.AccountID, after, batchSize)
			if err != nil {
				return err
			}
			last = ""
			members := s.membership(c.AccountID)
			for _, m := range meetings {
				if err := s.addOne(ctx, tx, c, m, members); err != nil {
					return err
				}
			}
			if len(meetings) == batchSize {
				last = meetings[len(meetings)-1].ID
			}
			return nil
		})
		if err != nil || last == "" {
			return err
		}
		after = last
	}
}

func (s *Service) addOne(ctx context.Context, tx *db.Tx, c Connection, m schedule.Meeting, members membership) error {
	ahead, err := s.Schedule.Ahead(m, s.Now())
	if err != nil || !ahead {
		return err
	}
	belongs, err := members(ctx, tx, m.WorkspaceID)
	if err != nil || !belongs {
		return err
	}
	mirrorID, err := add(ctx, tx, c.ID, m)
	if err != nil || mirrorID == "" {
		return err
	}
	return s.Jobs.Ensure(ctx, tx, mirrorID, c.ID, c.notBefore(s.Now()))
}

// queuePending queues a job for every mirror that has something to do, and returns how
// many mirrors the connection has.
func (s *Service) queuePending(ctx context.Context, c Connection) (n int, err error) {
	for after := ""; ; {
		var some []mirror
		err := s.DB.WriteLoosely(ctx, func(tx *db.Tx) (err error) {
			if some, err = mirrorsOf(ctx, tx, c.ID, after, batchSize); err != nil {
				return err
			}
			return s.queueBatch(ctx, tx, c, some)
		})
		if n += len(some); err != nil || len(some) < batchSize {
			return n, err
		}
		after = some[len(some)-1].ID
	}
}

// queueBatch queues jobs for those mirrors of a batch that have something to do.
func (s *Service) queueBatch(ctx context.Context, tx *db.Tx, c Connection, some []mirror) error {
	if len(some) == 0 {
		return nil
	}
	behind, err := wantBehind(ctx, tx, c.ID, some[0].ID, some[len(some)-1].ID)
	if err != nil {
		return err
	}
	members := s.membership(c.AccountID)
	for _, m := range some {
		if behind[m.ID] {
			m.Wanted++
		}
		if err := s.queueOne(ctx, tx, c, m, members); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) queueOne(ctx context.Context, tx *db.Tx, c Connection, m mirror, members membership) error {
	belongs, err := members(ctx, tx, m.WorkspaceID)
	if err != nil {
		return err
	}
	switch {
	case m.pending():
	case belongs && c.Status != Leaving:
		return nil
	default:
		if err := wantAgain(ctx, tx, m.ID); err != nil {
			return err
		}
	}
	return s.Jobs.Ensure(ctx, tx, m.ID, c.ID, c.notBefore(s.Now()))
}

// membership reports whether an account is a member of a workspace.
type membership func(ctx context.Context, tx *db.Tx, workspaceID string) (bool, error)

// membership returns a function that looks up each workspace only once.
func (s *Service) membership(accountID string) membership {
	known := map[string]bool{}
	return func(ctx context.Context, tx *db.Tx, workspaceID string) (bool, error) {
		if is, ok := known[workspaceID]; ok {
			return is, nil
		}
		standing, err := s.Identity.RoleIn(ctx, tx, workspaceID, accountID)
		if err == nil {
			known[workspaceID] = standing.Member
		}
		return standing.Member, err
	}
}

package schedule

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
)

const (
	// mostMeetings is how many scheduled meetings a workspace has at most, those
	// that are over among them and cancelled ones not. Lists read all series of a
	// workspace, so there is a bound.
	mostMeetings = 100_000
	// Counting takes 30 ms in a workspace with so many. So a node that counted may
	// schedule a part of what is left, one in so many, without counting again, for
	// trustCount at most. Close to the bound it counts each time.
	partOfRest = 16
	trustCount = time.Minute
	// mostCounted bounds the workspaces of which a node remembers a count.
	mostCounted = 10_000
)

// allowance is how many meetings a node may schedule in a workspace without
// counting.
type allowance struct {
	left  int
	until time.Time
}

// quota keeps the allowances of a node.
type quota struct {
	mu         sync.Mutex
	workspaces map[string]allowance
}

// take uses one of an allowance; false when there is none.
func (q *quota) take(workspaceID string, now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	a := q.workspaces[workspaceID]
	if a.left == 0 || !now.Before(a.until) {
		return false
	}
	a.left--
	q.workspaces[workspaceID] = a
	return true
}

// grant gives an allowance where so many meetings may still be scheduled.
func (q *quota) grant(workspaceID string, rest int, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.workspaces == nil || len(q.workspaces) >= mostCounted {
		q.workspaces = map[string]allowance{}
	}
	q.workspaces[workspaceID] = allowance{left: rest / partOfRest, until: now.Add(trustCount)}
}

// admit refuses one more meeting in a workspace that has as many as it may.
func (s *Service) admit(ctx context.Context, tx *db.Tx, workspaceID string) error {
	now := s.Now()
	if s.quota.take(workspaceID, now) {
		return nil
	}
	most := s.MostMeetings
	if most == 0 {
		most = mostMeetings
	}
	n, err := countLiving(ctx, tx, workspaceID)
	if err != nil {
		return err
	}
	if n >= most {
		return fault.Conflicting(api.CodeLimitReached, fmt.Sprintf("A workspace has at most %d scheduled meetings. Cancel some that are over first.", most))
	}
	s.quota.grant(workspaceID, most-n-1, now)
	return nil
}

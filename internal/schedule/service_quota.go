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
	// mostMeetings is how many scheduled meetings a workspace can have, including
	// past ones but not cancelled ones. It is limited because lists read all series
	// of a workspace.
	mostMeetings = 100_000
	// Counting takes 30 ms in a workspace with that many. So a node that has counted
	// may schedule 1/partOfRest of the remaining meetings without counting again,
	// for at most trustCount. Close to the limit it counts each time.
	partOfRest = 16
	trustCount = time.Minute
	// mostCounted limits the workspaces whose allowance a node remembers.
	mostCounted = 10_000
)

// allowance is how many meetings a node may still schedule in a workspace without
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

// take uses one meeting of an allowance; false when none is left.
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

// allow sets the allowance of a workspace in which rest more meetings may be
// scheduled.
func (q *quota) allow(workspaceID string, rest int, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.workspaces == nil || len(q.workspaces) >= mostCounted {
		q.workspaces = map[string]allowance{}
	}
	q.workspaces[workspaceID] = allowance{left: rest / partOfRest, until: now.Add(trustCount)}
}

// checkQuota refuses another meeting in a workspace that has reached the limit.
func (s *Service) checkQuota(ctx context.Context, tx *db.Tx, workspaceID string) error {
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
	s.quota.allow(workspaceID, most-n-1, now)
	return nil
}

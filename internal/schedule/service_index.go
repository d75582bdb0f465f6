package schedule

import (
	"context"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// mostSeries is how many series of all workspaces together a node keeps in
// memory: about 30 MB of them.
const mostSeries = 200_000

// trustFor is how long the series of a workspace that nobody lists are kept. It
// is less than the time for which cancelled meetings stay in the database: what
// was cancelled is still there to be noticed.
const trustFor = 24 * time.Hour

// series is what a list needs to know of each series.
type series struct {
	id   string
	rule rule
}

// index keeps the series of workspaces in memory, with the revision of the
// database at which they were read.
type index struct {
	mu         sync.Mutex
	workspaces map[string]snapshot
	total      int // series in all of them
}

// snapshot is the series of a workspace at a revision. Nothing changes it.
type snapshot struct {
	revision int64
	series   []series
	usedAt   time.Time
}

// read gives the series of a workspace as the transaction sees them. It reads
// from the database what has moved since they were last read.
func (x *index) read(ctx context.Context, tx *db.Tx, z *zones, workspaceID string, now time.Time) ([]series, error) {
	current, err := revision(ctx, tx, workspaceID)
	if err != nil || current == 0 {
		return nil, err
	}
	kept := x.find(workspaceID, now)
	if kept.revision > current { // a later transaction was here first
		kept = snapshot{}
	}
	if kept.revision < current {
		moved, err := moves(ctx, tx, z, workspaceID, kept.revision)
		if err != nil {
			return nil, err
		}
		kept.series = merge(kept.series, moved)
	}
	x.keep(workspaceID, snapshot{revision: current, series: kept.series, usedAt: now})
	return kept.series, nil
}

// find gives what is kept of a workspace, the zero snapshot when nothing is or
// when it is too old.
func (x *index) find(workspaceID string, now time.Time) snapshot {
	x.mu.Lock()
	defer x.mu.Unlock()
	if kept := x.workspaces[workspaceID]; now.Sub(kept.usedAt) < trustFor {
		return kept
	}
	return snapshot{}
}

// keep keeps the series of a workspace, unless newer ones are there, and makes
// room by dropping those of workspaces that were listed longest ago.
func (x *index) keep(workspaceID string, s snapshot) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.workspaces[workspaceID].revision > s.revision {
		return
	}
	x.drop(workspaceID)
	if len(s.series) > mostSeries {
		return
	}
	for x.total+len(s.series) > mostSeries {
		x.drop(x.oldest())
	}
	if x.workspaces == nil {
		x.workspaces = map[string]snapshot{}
	}
	x.workspaces[workspaceID] = s
	x.total += len(s.series)
}

func (x *index) drop(workspaceID string) {
	x.total -= len(x.workspaces[workspaceID].series)
	delete(x.workspaces, workspaceID)
}

// oldest names the workspace that was listed longest ago.
func (x *index) oldest() string {
	name := ""
	for workspaceID, s := range x.workspaces {
		if name == "" || s.usedAt.Before(x.workspaces[name].usedAt) {
			name = workspaceID
		}
	}
	return name
}

// merge makes the series that are left after moves, and leaves the old ones as
// they are for those who still read them.
func merge(old []series, moved []move) []series {
	replaced := make(map[string]bool, len(moved))
	out := make([]series, 0, len(old)+len(moved))
	for _, m := range moved {
		replaced[m.id] = true
		if !m.gone {
			out = append(out, m.series)
		}
	}
	for _, s := range old {
		if !replaced[s.id] {
			out = append(out, s)
		}
	}
	return out
}

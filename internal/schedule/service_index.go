package schedule

import (
	"context"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// mostSeries is how many series a node keeps in memory, of all workspaces
// together. They take about 30 MB.
const mostSeries = 200_000

// trustFor is how long the series of a workspace are used without being listed. It
// is less than the time for which cancelled meetings stay in the database, so that
// a node does not miss a cancellation.
const trustFor = 24 * time.Hour

// series is what a list needs to know about a series.
type series struct {
	id   string
	rule rule
}

// index keeps the series of workspaces in memory, with the revision of the
// database at which they were read.
type index struct {
	mu         sync.Mutex
	workspaces map[string]seriesAt
	total      int // series in all of them
}

// seriesAt is the series of a workspace at a revision. It is never modified.
type seriesAt struct {
	revision int64
	series   []series
	usedAt   time.Time
}

// read returns the series of a workspace as the transaction sees them. From the
// database it reads only the series that changed since they were last read.
func (x *index) read(ctx context.Context, tx *db.Tx, z *zones, workspaceID string, now time.Time) ([]series, error) {
	current, err := revision(ctx, tx, workspaceID)
	if err != nil || current == 0 {
		return nil, err
	}
	kept := x.find(workspaceID, now)
	if kept.revision > current { // a later transaction has updated it already
		kept = seriesAt{}
	}
	if kept.revision < current {
		moved, err := moves(ctx, tx, z, workspaceID, kept.revision)
		if err != nil {
			return nil, err
		}
		kept.series = merge(kept.series, moved)
	}
	x.keep(workspaceID, seriesAt{revision: current, series: kept.series, usedAt: now})
	return kept.series, nil
}

// forget drops everything that is kept.
func (x *index) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.workspaces, x.total = nil, 0
}

// find returns what is kept of a workspace, or the zero value when there is none
// or it is too old.
func (x *index) find(workspaceID string, now time.Time) seriesAt {
	x.mu.Lock()
	defer x.mu.Unlock()
	if kept := x.workspaces[workspaceID]; now.Sub(kept.usedAt) < trustFor {
		return kept
	}
	return seriesAt{}
}

// keep stores the series of a workspace, unless there is a newer one. It makes
// room by dropping the workspaces that were listed longest ago.
func (x *index) keep(workspaceID string, s seriesAt) {
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
		x.workspaces = map[string]seriesAt{}
	}
	x.workspaces[workspaceID] = s
	x.total += len(s.series)
}

func (x *index) drop(workspaceID string) {
	x.total -= len(x.workspaces[workspaceID].series)
	delete(x.workspaces, workspaceID)
}

// oldest returns the workspace that was listed longest ago.
func (x *index) oldest() string {
	name := ""
	for workspaceID, s := range x.workspaces {
		if name == "" || s.usedAt.Before(x.workspaces[name].usedAt) {
			name = workspaceID
		}
	}
	return name
}

// merge returns the series after some moves. It does not modify old, which other
// goroutines may be reading.
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

package schedule

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// defaultWindow is the length of a window when the request gives no end.
const defaultWindow = 30 * 24 * time.Hour

// Listing is a request for a page of meetings.
type Listing struct {
	From          api.Opt[api.Time] // now when it is absent
	To            api.Opt[api.Time] // 30 days after From when it is absent
	Limit         int
	StartingAfter string // the last meeting of the page before, "" for the first page
}

// List reads a page of a workspace's meetings that overlap a window, soonest
// first. A series is one entry, placed by its first occurrence in the window.
func (s *Service) List(ctx context.Context, p auth.Principal, l Listing) (page []Meeting, more bool, err error) {
	now := s.Now()
	w, err := windowOf(l.From, l.To, now)
	if err != nil {
		return nil, false, err
	}
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		if l.StartingAfter != "" {
			if w.after, err = s.cursor(ctx, tx, p.WorkspaceID, l.StartingAfter, w.from); err != nil {
				return err
			}
		}
		page, err = s.page(ctx, tx, p.WorkspaceID, w, l.Limit+1, now)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if len(page) > l.Limit {
		return page[:l.Limit], true, nil
	}
	return page, false, nil
}

// windowOf returns the window of a request.
func windowOf(begin, end api.Opt[api.Time], now time.Time) (window, error) {
	from := begin.Or(api.At(now))
	to := end.Or(api.At(from.Add(defaultWindow)))
	if !to.After(from.Time) {
		return window{}, fault.BadParameter("to", "to must be after from.")
	}
	return window{from: from.UnixMilli(), to: to.UnixMilli(), after: position{start: math.MinInt64, id: ""}}, nil
}

// cursor finds the position of a meeting in a list. The meeting may be cancelled, so
// that a list can continue after one that was cancelled meanwhile.
func (s *Service) cursor(ctx context.Context, tx *db.Tx, workspaceID, meetingID string, from moment) (position, error) {
	m, err := findDeleted(ctx, tx, workspaceID, meetingID)
	if fault.HasCode(err, api.CodeNotFound) {
		return position{}, fault.BadParameter("starting_after", "starting_after must be the id of a meeting of this workspace.")
	}
	if err != nil {
		return position{}, err
	}
	zone, err := s.zones.load(zoneOf(m))
	if err != nil {
		return position{}, err
	}
	at := position{start: m.StartsAt.UnixMilli(), id: m.ID}
	if start, ok := m.rule(zone).overlapping(&clock{zone: zone, spans: nil}, from); ok {
		at.start = start
	}
	return at, nil
}

// page reads the first meetings of a window.
func (s *Service) page(ctx context.Context, tx *db.Tx, workspaceID string, w window, limit int, now time.Time) ([]Meeting, error) {
	single, err := once(ctx, tx, workspaceID, w, limit)
	if err != nil {
		return nil, err
	}
	all, err := s.index.read(ctx, tx, &s.zones, workspaceID, now)
	if err != nil {
		return nil, err
	}
	positions := soonest(all, w, limit)
	repeating := len(positions)
	found := make(map[string]Meeting, len(single))
	for _, m := range single {
		found[m.ID] = m
		positions = append(positions, position{start: m.StartsAt.UnixMilli(), id: m.ID})
	}
	slices.SortFunc(positions, position.compare)
	positions = positions[:min(limit, len(positions))]
	if repeating > 0 {
		if err := s.addSeries(ctx, tx, found, positions); err != nil {
			return nil, err
		}
	}
	page := make([]Meeting, len(positions))
	for i, p := range positions {
		page[i] = found[p.id]
	}
	return page, nil
}

// addSeries reads the meetings of a page that are not in found yet.
func (s *Service) addSeries(ctx context.Context, tx *db.Tx, found map[string]Meeting, positions []position) error {
	var missing []string
	for _, p := range positions {
		if _, there := found[p.id]; !there {
			missing = append(missing, p.id)
		}
	}
	read, err := byID(ctx, tx, missing)
	if err != nil {
		return err
	}
	for _, id := range missing {
		m, there := read[id]
		if !there {
			return fmt.Errorf("the series %s is in memory and not in the database", id)
		}
		found[id] = m
	}
	return nil
}

// zoneOf returns the name of a meeting's zone, "" for UTC.
func zoneOf(m Meeting) string {
	if m.Timezone == nil {
		return ""
	}
	return *m.Timezone
}

package schedule

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// This file has the queries for connected calendars and feeds.

// Any reads a meeting of any workspace, even if it is cancelled; false when there is
// none.
func (s *Service) Any(ctx context.Context, tx *db.Tx, meetingID string) (Meeting, bool, error) {
	m, err := scan(tx.QueryRow(ctx, selectMeetings+`WHERE m.id = $1`, meetingID))
	if errors.Is(err, db.ErrNoRows) {
		return Meeting{}, false, nil
	}
	if err != nil {
		return Meeting{}, false, fmt.Errorf("read a scheduled meeting: %w", err)
	}
	return m, true, nil
}

// MadeBy reads meetings that an account scheduled in any workspace, sorted by id and
// beginning after the given one.
func (s *Service) MadeBy(ctx context.Context, tx *db.Tx, accountID, after string, limit int) ([]Meeting, error) {
	meetings, err := db.Query(ctx, tx, scan, selectMeetings+`WHERE m.created_by = $1 AND m.deleted_at IS NULL AND m.id > $2
		ORDER BY m.id LIMIT $3`, accountID, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read the meetings of an account: %w", err)
	}
	return meetings, nil
}

// Ahead reports whether an occurrence of a meeting is under way at a time or follows
// later.
func (s *Service) Ahead(m Meeting, at time.Time) (bool, error) {
	zone, err := s.zones.load(zoneOf(m))
	if err != nil {
		return false, err
	}
	_, ahead := m.rule(zone).overlapping(&clock{zone: zone, spans: nil}, at.UnixMilli())
	return ahead, nil
}

// Within reads the meetings of a workspace that overlap a window, soonest first and
// at most limit of them.
func (s *Service) Within(ctx context.Context, tx *db.Tx, workspaceID string, from, to time.Time, limit int) ([]Meeting, error) {
	return s.page(ctx, tx, workspaceID, window{from: from.UnixMilli(), to: to.UnixMilli(), after: position{start: math.MinInt64, id: ""}}, limit, s.Now())
}

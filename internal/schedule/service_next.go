package schedule

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Occurrence is one of the times at which a meeting takes place.
type Occurrence struct {
	Title  string
	Starts time.Time
	Ends   time.Time
	// Meeting is the meeting or series that it belongs to.
	Meeting Meeting
}

// NextIn finds the occurrence that is under way in a room or starts there next,
// within the default window of a list; nil when nothing is planned.
func (s *Service) NextIn(ctx context.Context, tx *db.Tx, roomID string) (*Occurrence, error) {
	now := s.Now()
	w := window{from: now.UnixMilli(), to: now.Add(defaultWindow).UnixMilli()}
	candidates, err := plannedIn(ctx, tx, roomID, w)
	if err != nil {
		return nil, err
	}
	var (
		best  *Occurrence
		first position
	)
	for _, m := range candidates {
		zone, err := s.zones.load(zoneOf(m))
		if err != nil {
			return nil, err
		}
		start, ok := m.rule(zone).overlapping(&clock{zone: zone, spans: nil}, w.from)
		p := position{start: start, id: m.ID}
		if !ok || start >= w.to || best != nil && !p.before(first) {
			continue
		}
		starts := db.At(start)
		first, best = p, &Occurrence{Title: m.Title, Starts: starts, Ends: starts.Add(m.EndsAt.Sub(m.StartsAt)), Meeting: m}
	}
	return best, nil
}

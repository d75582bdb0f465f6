package seat

import (
	"context"
	"fmt"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Counts are how many meetings run in the whole service, and how many people are
// in them, lost for a moment, or waiting in the line.
type Counts struct{ Meetings, In, Lost, Waiting int64 }

// Census counts the meetings and the people of the whole service.
func Census(ctx context.Context, tx *db.Tx) (Counts, error) {
	type counted struct {
		what string
		n    int64
	}
	rows, err := db.Query(ctx, tx, func(row db.Scanner) (r counted, err error) {
		err = row.Scan(&r.what, &r.n)
		return r, err //nolint:wrapcheck // wrapped below
	}, `SELECT 'meetings', COUNT(*) FROM live_meeting WHERE ended_at IS NULL
		UNION ALL SELECT 'waiting', COUNT(*) FROM seat WHERE status IN ('waiting', 'early')
		UNION ALL SELECT s.status, COUNT(*) FROM live_meeting m JOIN seat s ON s.room_id = m.room_id
			WHERE m.ended_at IS NULL AND s.status IN ('in', 'lost') GROUP BY s.status`)
	if err != nil {
		return Counts{}, fmt.Errorf("count meetings and people: %w", err)
	}
	var c Counts
	for _, r := range rows {
		switch r.what {
		case "meetings":
			c.Meetings = r.n
		case "waiting":
			c.Waiting = r.n
		case "in":
			c.In = r.n
		case "lost":
			c.Lost = r.n
		}
	}
	return c, nil
}

package cert

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// leaseFor is how long a node holds the lease after its last request to the
// certificate authority.
const leaseFor = 2 * time.Minute

const (
	// shortPause is how long no node orders after the first order that failed: a new
	// service may not have been reachable yet, for instance because its balancer had not
	// noticed that it answers. An authority such as Let's Encrypt allows five failures an
	// hour, and an order can have two, one for each challenge.
	shortPause = time.Minute
	// firstPause is how long no node orders after the second failure. The pause
	// doubles with each further failure, up to longestPause, because authorities
	// refuse callers that try too often.
	firstPause   = 5 * time.Minute
	longestPause = time.Hour
)

// lease lets one node order certificates at a time.
type lease struct {
	db        *db.DB
	directory string
	holder    string // this node
	now       func() time.Time
}

// take takes the lease or extends it. It returns false while another node has
// it, and after a failure until the next try.
func (l *lease) take(ctx context.Context) (taken bool, err error) {
	now := l.now()
	err = l.db.Write(ctx, func(tx *db.Tx) error {
		n, err := tx.Exec(ctx, `INSERT INTO acme_lease (directory, holder, until_at, failures) VALUES ($1, $2, $3, 0)
			ON CONFLICT (directory) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at
			WHERE acme_lease.holder = excluded.holder OR acme_lease.until_at <= $4`,
			l.directory, l.holder, now.Add(leaseFor).UnixMilli(), now.UnixMilli())
		taken = n > 0
		return err //nolint:wrapcheck // named below
	})
	if err != nil {
		return false, fmt.Errorf("take the lease for certificates: %w", err)
	}
	return taken, nil
}

// release gives the lease up, if this node holds it, and forgets failures.
func (l *lease) release(ctx context.Context) error {
	err := l.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM acme_lease WHERE directory = $1 AND holder = $2`, l.directory, l.holder)
		return err //nolint:wrapcheck // named below
	})
	if err != nil {
		return fmt.Errorf("release the lease for certificates: %w", err)
	}
	return nil
}

// pause gives the lease up after a failure, and returns when the next order may
// be tried, on any node.
func (l *lease) pause(ctx context.Context) (until time.Time, err error) {
	err = l.db.Write(ctx, func(tx *db.Tx) error {
		var failures int
		err := tx.QueryRow(ctx, `UPDATE acme_lease SET failures = failures + 1, holder = '' WHERE directory = $1 AND holder = $2 RETURNING failures`,
			l.directory, l.holder).Scan(&failures)
		if err != nil {
			return err //nolint:wrapcheck // named below
		}
		until = l.now().Add(pauseAfter(failures))
		_, err = tx.Exec(ctx, `UPDATE acme_lease SET until_at = $1 WHERE directory = $2`, until.UnixMilli(), l.directory)
		return err //nolint:wrapcheck // named below
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("note that an order for a certificate failed: %w", err)
	}
	return until, nil
}

// pauseAfter is the pause after a number of failures.
func pauseAfter(failures int) time.Duration {
	if failures == 1 {
		return shortPause
	}
	pause := firstPause
	for range failures - 2 {
		pause = min(2*pause, longestPause)
	}
	return pause
}

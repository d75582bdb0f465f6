package limit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// SQL counts in the database, so that a limit holds across nodes. A subject
// that is beyond its limit is refused from memory. Only one request of a
// subject uses a connection to the database at a time; the others wait without
// one.
type SQL struct {
	db    *db.DB
	now   func() time.Time
	local *local
}

// NewSQL makes a limiter for nodes that share a database.
func NewSQL(d *db.DB, now func() time.Time) *SQL { return &SQL{db: d, now: now, local: newLocal()} }

// Take counts a request.
func (s *SQL) Take(ctx context.Context, subject string, q Quota, n int) (Decision, error) {
	if d, known := s.local.look(subject, s.now()); known {
		return d, nil
	}
	done, err := s.local.turns.Take(ctx, subject)
	if err != nil {
		return Decision{}, err
	}
	defer done()
	if d, known := s.local.look(subject, s.now()); known { // the answer to the requests before this one
		return d, nil
	}
	return s.count(ctx, subject, q, n)
}

// count asks the database. The first statement locks the subject's row and
// reads it, so that nodes count one after the other.
func (s *SQL) count(ctx context.Context, subject string, q Quota, n int) (Decision, error) {
	var decision Decision
	var now time.Time
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		if err := relax(ctx, tx); err != nil {
			return err
		}
		now = s.now()
		var state string
		err := tx.QueryRow(ctx, `
			INSERT INTO rate_limit (subject, state, until) VALUES ($1, '[]', $2)
			ON CONFLICT (subject) DO UPDATE SET until = excluded.until
			RETURNING state`, subject, now.Add(keep(q)).UnixMilli()).Scan(&state)
		if err != nil {
			return fmt.Errorf("read the requests of a subject: %w", err)
		}
		var w window
		if err := json.Unmarshal([]byte(state), &w); err != nil {
			return fmt.Errorf("read the requests of a subject: %w", err)
		}
		decision = w.take(q, n, now)
		changed, err := json.Marshal(w)
		if err != nil {
			return fmt.Errorf("write the requests of a subject: %w", err)
		}
		if _, err := tx.Exec(ctx, `UPDATE rate_limit SET state = $1 WHERE subject = $2`, string(changed), subject); err != nil {
			return fmt.Errorf("write the requests of a subject: %w", err)
		}
		return nil
	})
	if err == nil && !decision.Allowed {
		s.local.refuse(subject, now.Add(decision.Reset), now)
	}
	return decision, err //nolint:wrapcheck // wrapped inside
}

// Look returns the state of a subject.
func (s *SQL) Look(ctx context.Context, subject string, q Quota) (Decision, error) {
	if d, known := s.local.look(subject, s.now()); known {
		return d, nil
	}
	var w window
	err := s.db.Read(ctx, func(tx *db.Tx) error {
		var state string
		err := tx.QueryRow(ctx, `SELECT state FROM rate_limit WHERE subject = $1`, subject).Scan(&state)
		if errors.Is(err, db.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the requests of a subject: %w", err)
		}
		if err := json.Unmarshal([]byte(state), &w); err != nil {
			return fmt.Errorf("read the requests of a subject: %w", err)
		}
		return nil
	})
	if err != nil {
		return Decision{}, err //nolint:wrapcheck // wrapped inside
	}
	now := s.now()
	d := w.look(q, now)
	if !d.Allowed {
		s.local.refuse(subject, now.Add(d.Reset), now)
	}
	return d, nil
}

// relax makes a PostgreSQL transaction wait for the row. A serializable one
// would fail and be repeated, as the requests in a burst of one key would make
// each other do. It also lets the commit not wait for the disk: it does no harm
// if a few requests are forgotten after a crash.
func relax(ctx context.Context, tx *db.Tx) error {
	if tx.Engine() != db.PostgreSQL {
		return nil
	}
	for _, statement := range []string{"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "SET LOCAL synchronous_commit = off"} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return fmt.Errorf("prepare to count: %w", err)
		}
	}
	return nil
}

// sweptAtOnce is how many subjects one transaction deletes. It locks their rows
// until it ends, and a subject that sends a request meanwhile should not wait
// long.
const sweptAtOnce = 500

// Sweep deletes what no longer counts.
func (s *SQL) Sweep(ctx context.Context) error {
	s.local.sweep(s.now())
	for {
		var n int64
		err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
			if err := relax(ctx, tx); err != nil {
				return err
			}
			// The second condition protects a subject that sent a request after
			// it was found.
			n, err = tx.Exec(ctx, `DELETE FROM rate_limit WHERE subject IN
				(SELECT subject FROM rate_limit WHERE until < $1 ORDER BY until LIMIT $2) AND until < $1`, s.now().UnixMilli(), sweptAtOnce)
			if err != nil {
				return fmt.Errorf("forget old requests: %w", err)
			}
			return nil
		})
		if err != nil || n < sweptAtOnce {
			return err //nolint:wrapcheck // the function above wraps
		}
	}
}

// Package idempotency stores the answers to requests with an Idempotency-Key. A
// client that lost an answer can repeat the request, and the work is not done
// twice.
//
//	            Begin                      Finish
//	(no row) ───────────► running ───────────────────► answered ──► deleted
//	                       │   ▲  Release: nothing to keep            (Expires)
//	                       │   └── lease over: the node died, and the next
//	                       └────── request with this key begins anew
//
// A row belongs to one API key and one value of the header. It holds a
// fingerprint of the request, which shows when the same value comes with
// another request. The answer is sealed, because it may hold a secret.
//
// The lease names the request that works on the row. It ends by itself, so that
// after a crash the key is free again within Lease; if the clock was set back meanwhile,
// within twice Lease of the next request with the key. A request that returns
// after another one took its lease over can no longer finish.
package idempotency

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// Lease is how long a request may take before its row counts as abandoned. No
// request of the API takes that long.
const Lease = time.Minute

// ErrInUse says that the first request with the key is still running.
var ErrInUse = errors.New("idempotency: the first request is still running")

// ErrReused says that the key was used for another request.
var ErrReused = errors.New("idempotency: the key was used for another request")

// Store stores answers in the database.
type Store struct {
	DB     *db.DB
	Sealer *seal.Sealer
	Now    func() time.Time
}

// Request is one request with a key.
type Request struct {
	Subject     string // the API key's id
	Key         string // the value of the header
	Fingerprint string
	lease       string
}

func (r *Request) binding() string { return "idempotency/answer/" + r.Subject + "/" + r.Key }

type row struct {
	fingerprint string
	leaseUntil  int64
	answer      db.Null[string]
}

// Begin claims the key for a request, or returns the stored answer.
func (s *Store) Begin(ctx context.Context, r *Request) (answer []byte, replay bool, err error) {
	r.lease = id.Secret()
	var found *row
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		now := s.Now()
		found = nil
		// This removes an expired row of this key; a sweep removes all others.
		if _, err := tx.Exec(ctx, `DELETE FROM idempotency WHERE subject = $1 AND key = $2 AND expires_at <= $3`,
			r.Subject, r.Key, now.UnixMilli()); err != nil {
			return fmt.Errorf("forget an expired answer: %w", err)
		}
		taken, err := tx.Exec(ctx, `
			INSERT INTO idempotency (subject, key, fingerprint, lease, lease_until, answer, expires_at)
			VALUES ($1, $2, $3, $4, $5, NULL, $6)
			ON CONFLICT (subject, key) DO UPDATE SET
				lease = excluded.lease, lease_until = excluded.lease_until, expires_at = excluded.expires_at
			WHERE idempotency.answer IS NULL AND idempotency.fingerprint = excluded.fingerprint
				AND idempotency.lease_until <= $7`,
			r.Subject, r.Key, r.Fingerprint, r.lease, now.Add(Lease).UnixMilli(), now.Add(24*time.Hour).UnixMilli(), now.UnixMilli())
		if err != nil {
			return fmt.Errorf("claim an idempotency key: %w", err)
		}
		if taken > 0 {
			return nil
		}
		found = &row{}
		err = tx.QueryRow(ctx, `SELECT fingerprint, lease_until, answer FROM idempotency WHERE subject = $1 AND key = $2`,
			r.Subject, r.Key).Scan(&found.fingerprint, &found.leaseUntil, &found.answer)
		if err != nil {
			return fmt.Errorf("read an idempotency key: %w", err)
		}
		// A lease up to twice Lease away may be that of a node whose clock is ahead.
		if found.answer.Valid || found.leaseUntil <= now.Add(2*Lease).UnixMilli() {
			return nil
		}
		return shorten(ctx, tx, r, now)
	})
	if err != nil || found == nil {
		return nil, false, err
	}
	return s.replay(r, found)
}

// shorten lets a lease from before the clock was set back end Lease from now. Its request
// may still run.
func shorten(ctx context.Context, tx *db.Tx, r *Request, now time.Time) error {
	if _, err := tx.Exec(ctx, `UPDATE idempotency SET lease_until = $1 WHERE subject = $2 AND key = $3`,
		now.Add(Lease).UnixMilli(), r.Subject, r.Key); err != nil {
		return fmt.Errorf("shorten the lease of an idempotency key: %w", err)
	}
	return nil
}

func (s *Store) replay(r *Request, found *row) ([]byte, bool, error) {
	if found.fingerprint != r.Fingerprint {
		return nil, false, ErrReused
	}
	if !found.answer.Valid {
		return nil, false, ErrInUse
	}
	answer, err := s.Sealer.Open(found.answer.V, r.binding())
	if err != nil {
		return nil, false, fmt.Errorf("open a stored answer: %w", err)
	}
	return answer, true, nil
}

// Finish stores the answer to a request for a time. If the lease was lost
// meanwhile, the row belongs to another request and does not change.
func (s *Store) Finish(ctx context.Context, r *Request, answer []byte, keep time.Duration) error {
	sealed, err := s.Sealer.Seal(answer, r.binding())
	if err != nil {
		return fmt.Errorf("seal an answer: %w", err)
	}
	return s.DB.Write(ctx, func(tx *db.Tx) error { //nolint:wrapcheck // the function below wraps
		if _, err := tx.Exec(ctx, `UPDATE idempotency SET answer = $1, expires_at = $2 WHERE subject = $3 AND key = $4 AND lease = $5`,
			sealed, s.Now().Add(keep).UnixMilli(), r.Subject, r.Key, r.lease); err != nil {
			return fmt.Errorf("store an answer: %w", err)
		}
		return nil
	})
}

// Release frees the key when there is no answer to store.
func (s *Store) Release(ctx context.Context, r *Request) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error { //nolint:wrapcheck // the function below wraps
		if _, err := tx.Exec(ctx, `DELETE FROM idempotency WHERE subject = $1 AND key = $2 AND lease = $3`,
			r.Subject, r.Key, r.lease); err != nil {
			return fmt.Errorf("give an idempotency key back: %w", err)
		}
		return nil
	})
}

// sweptAtOnce is how many answers one transaction deletes. After a busy hour
// there are many, and other requests must not wait until all of them are
// deleted.
const sweptAtOnce = 500

// Sweep deletes expired answers.
func (s *Store) Sweep(ctx context.Context) error {
	for {
		var n int64
		err := s.DB.WriteLoosely(ctx, func(tx *db.Tx) (err error) {
			// The second condition protects a row that was claimed again after
			// it was found.
			n, err = tx.Exec(ctx, `DELETE FROM idempotency WHERE (subject, key) IN
				(SELECT subject, key FROM idempotency WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2) AND expires_at <= $1`,
				s.Now().UnixMilli(), sweptAtOnce)
			if err != nil {
				return fmt.Errorf("forget expired answers: %w", err)
			}
			return nil
		})
		if err != nil || n < sweptAtOnce {
			return err //nolint:wrapcheck // the function above wraps
		}
	}
}

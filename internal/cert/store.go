package cert

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"golang.org/x/crypto/acme/autocert"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// store keeps what autocert must find again, for one certificate authority. It
// is autocert's Cache.
type store struct {
	db        *db.DB
	sealer    *seal.Sealer
	directory string
	now       func() time.Time
	answers   answers
}

// binding is what a value is sealed for: its row.
func (s *store) binding(name string) string { return "acme_value/" + s.directory + "/" + name }

// Get returns a value, or autocert.ErrCacheMiss.
func (s *store) Get(ctx context.Context, name string) ([]byte, error) {
	sealed, err := s.read(ctx, name)
	if err != nil {
		return nil, err
	}
	value, err := s.sealer.Open(sealed, s.binding(name))
	if err != nil {
		return nil, fmt.Errorf("open what is kept for certificates: %w", err)
	}
	return value, nil
}

// read returns a value as it is stored, or autocert.ErrCacheMiss.
func (s *store) read(ctx context.Context, name string) (string, error) {
	if isAnswer(name) {
		all, err := s.answers.ask(ctx, s.readAnswers)
		sealed, known := all[name]
		if err == nil && !known {
			err = autocert.ErrCacheMiss
		}
		return sealed, err
	}
	var sealed string
	err := s.db.Read(ctx, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `SELECT value FROM acme_value WHERE directory = $1 AND name = $2`, s.directory, name).Scan(&sealed)
	})
	if errors.Is(err, db.ErrNoRows) {
		return "", autocert.ErrCacheMiss
	}
	if err != nil {
		return "", fmt.Errorf("read what is kept for certificates: %w", err)
	}
	return sealed, nil
}

// readAnswers returns the answers to all challenges as they are stored, by their names.
// Only orders that run have answers, and orders of the last day that were broken off.
func (s *store) readAnswers(ctx context.Context) (map[string]string, error) {
	type row struct{ name, sealed string }
	var rows []row
	err := s.db.Read(ctx, func(tx *db.Tx) (err error) {
		rows, err = db.Query(ctx, tx, func(r db.Scanner) (found row, err error) {
			err = r.Scan(&found.name, &found.sealed)
			return found, err
		}, `SELECT name, value FROM acme_value WHERE directory = $1 AND (name LIKE '%' || $2 OR name LIKE '%' || $3)`, s.directory, tokenEnding, httpEnding)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the answers to challenges: %w", err)
	}
	all := make(map[string]string, len(rows))
	for _, r := range rows {
		all[r.name] = r.sealed
	}
	return all, nil
}

// Put keeps a value.
func (s *store) Put(ctx context.Context, name string, value []byte) error {
	sealed, err := s.sealer.Seal(value, s.binding(name))
	if err != nil {
		return fmt.Errorf("seal what is kept for certificates: %w", err)
	}
	expires := db.Millis(s.expiry(name, value))
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO acme_value (directory, name, value, expires_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (directory, name) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`, s.directory, name, sealed, expires)
		return err //nolint:wrapcheck // named below
	})
	if err != nil {
		return fmt.Errorf("keep something for certificates: %w", err)
	}
	return nil
}

// Delete deletes a value, if there is one.
func (s *store) Delete(ctx context.Context, name string) error {
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM acme_value WHERE directory = $1 AND name = $2`, s.directory, name)
		return err //nolint:wrapcheck // named below
	})
	if err != nil {
		return fmt.Errorf("delete what was kept for certificates: %w", err)
	}
	return nil
}

// forget deletes what has expired, of every certificate authority: certificates,
// and answers to challenges that a node had no time to delete.
func (s *store) forget(ctx context.Context) error {
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM acme_value WHERE expires_at < $1`, s.now().UnixMilli())
		return err //nolint:wrapcheck // named below
	})
	if err != nil {
		return fmt.Errorf("forget expired certificates: %w", err)
	}
	return nil
}

// answerFor is how long the answer to a challenge is kept at most. Authorities
// ask within minutes.
const answerFor = 24 * time.Hour

// expiry is when a value becomes useless: zero for the account's key, which stays.
func (s *store) expiry(name string, value []byte) time.Time {
	if isAnswer(name) {
		return s.now().Add(answerFor)
	}
	for len(value) > 0 {
		var block *pem.Block
		if block, value = pem.Decode(value); block == nil {
			break
		}
		if leaf, err := x509.ParseCertificate(block.Bytes); err == nil {
			return leaf.NotAfter // the first one; those of the chain follow
		}
	}
	return time.Time{}
}

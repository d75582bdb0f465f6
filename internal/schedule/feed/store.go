package feed

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// readFeed reads the sealed secret of an account's feed, and when it was made.
func readFeed(ctx context.Context, tx *db.Tx, accountID string) (sealed string, created time.Time, err error) {
	var at int64
	err = tx.QueryRow(ctx, `SELECT secret, created_at FROM calendar_feed WHERE account_id = $1`, accountID).Scan(&sealed, &at)
	return sealed, db.At(at), err //nolint:wrapcheck // the caller says what it looked for
}

func saveFeed(ctx context.Context, tx *db.Tx, accountID, secretHash, sealed string, created time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO calendar_feed (account_id, secret_hash, secret, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (account_id) DO UPDATE SET secret_hash = excluded.secret_hash, secret = excluded.secret, created_at = excluded.created_at`,
		accountID, secretHash, sealed, created.UnixMilli())
	if err != nil {
		return fmt.Errorf("keep the address of a feed: %w", err)
	}
	return nil
}

// feedAccount reads whose feed has a secret with this hash.
func feedAccount(ctx context.Context, tx *db.Tx, secretHash string) (accountID string, err error) {
	err = tx.QueryRow(ctx, `SELECT account_id FROM calendar_feed WHERE secret_hash = $1`, secretHash).Scan(&accountID)
	return accountID, err //nolint:wrapcheck // the caller says what it looked for
}

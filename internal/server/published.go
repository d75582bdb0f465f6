package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
)

// publishURL stores the address of the service in its database, so that
// commands use the same one in links and events.
func publishURL(ctx context.Context, d *db.DB, address string) error {
	published, err := PublishedURL(ctx, d)
	if err != nil || published == address {
		return err
	}
	return d.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO published (name, value) VALUES ('public_url', $1)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, address)
		if err != nil {
			return fmt.Errorf("remember the address of the service: %w", err)
		}
		return nil
	})
}

// PublishedURL is the address with which the service was last started on this
// data, or the default one.
func PublishedURL(ctx context.Context, d *db.DB) (string, error) {
	address := config.DefaultPublicURL
	err := d.Read(ctx, func(tx *db.Tx) error {
		err := tx.QueryRow(ctx, `SELECT value FROM published WHERE name = 'public_url'`).Scan(&address)
		if errors.Is(err, db.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("look up the address of the service: %w", err)
	}
	return address, nil
}

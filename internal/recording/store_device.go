package recording

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
)

const deviceColumns = `d.id, d.account_id, d.name, d.public_key, d.created_at, d.last_used_at`

func scanDevice(s db.Scanner, more ...any) (d Device, err error) {
	var created, used int64
	err = s.Scan(append([]any{&d.ID, &d.AccountID, &d.Name, &d.PublicKey, &created, &used}, more...)...)
	d.CreatedAt, d.LastUsedAt = db.At(created), db.At(used)
	return d, err //nolint:wrapcheck // the callers say what they looked for
}

// devicesOf lists the devices of an account, oldest first.
func devicesOf(ctx context.Context, tx *db.Tx, accountID string) ([]Device, error) {
	list, err := db.Query(ctx, tx, func(s db.Scanner) (Device, error) { return scanDevice(s) },
		`SELECT `+deviceColumns+` FROM recording_device d WHERE d.account_id = $1 AND d.revoked_at IS NULL ORDER BY d.id`, accountID)
	if err != nil {
		return nil, fmt.Errorf("list the devices of an account: %w", err)
	}
	return list, nil
}

// deviceOf reads a device of an account; nil when it has no such device.
func deviceOf(ctx context.Context, tx *db.Tx, accountID, deviceID string) (*Device, error) {
	if !id.Valid(deviceID) {
		return nil, nil //nolint:nilnil // no device is an answer, not an error
	}
	d, err := scanDevice(tx.QueryRow(ctx, `SELECT `+deviceColumns+` FROM recording_device d
		WHERE d.id = $1 AND d.account_id = $2 AND d.revoked_at IS NULL`, deviceID, accountID))
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // as above
	}
	if err != nil {
		return nil, fmt.Errorf("read a device: %w", err)
	}
	return &d, nil
}

// devicesIn lists the devices of the members of a workspace, with the names of their
// owners. If without names a recording, it lists only devices without its key.
func devicesIn(ctx context.Context, tx *db.Tx, workspaceID, without string) ([]MemberDevice, error) {
	list, err := db.Query(ctx, tx, func(s db.Scanner) (d MemberDevice, err error) {
		var email string
		d.Device, err = scanDevice(s, &d.Owner, &email)
		if d.Owner == "" {
			d.Owner = email
		}
		return d, err
	}, `SELECT `+deviceColumns+`, a.name, a.email
		FROM member m JOIN recording_device d ON d.account_id = m.account_id JOIN account a ON a.id = m.account_id
		WHERE m.workspace_id = $1 AND d.revoked_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM recording_wrap w WHERE w.recording_id = $2 AND w.device_id = d.id) ORDER BY d.id`, workspaceID, without)
	if err != nil {
		return nil, fmt.Errorf("list the devices of a workspace: %w", err)
	}
	return list, nil
}

// hasDevice reports whether a member of a workspace has a device.
func hasDevice(ctx context.Context, tx *db.Tx, workspaceID string) (found bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM member m JOIN recording_device d ON d.account_id = m.account_id
		WHERE m.workspace_id = $1 AND d.revoked_at IS NULL)`, workspaceID).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for a device of a workspace: %w", err)
	}
	return found, nil
}

func insertDevice(ctx context.Context, tx *db.Tx, d Device) error {
	_, err := tx.Exec(ctx, `INSERT INTO recording_device (id, account_id, name, public_key, created_at, last_used_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		d.ID, d.AccountID, d.Name, d.PublicKey, d.CreatedAt.UnixMilli(), d.LastUsedAt.UnixMilli())
	if err != nil {
		return fmt.Errorf("store a device: %w", err)
	}
	return nil
}

func useDevice(ctx context.Context, tx *db.Tx, deviceID string, at time.Time) error {
	if _, err := tx.Exec(ctx, `UPDATE recording_device SET last_used_at = $1 WHERE id = $2`, at.UnixMilli(), deviceID); err != nil {
		return fmt.Errorf("record the use of a device: %w", err)
	}
	return nil
}

// revokeDevice deletes a device's wrapped keys and its name, and marks it as revoked.
func revokeDevice(ctx context.Context, tx *db.Tx, deviceID string, at time.Time) error {
	_, err := tx.Exec(ctx, `DELETE FROM recording_wrap WHERE device_id = $1`, deviceID)
	if err == nil {
		_, err = tx.Exec(ctx, `UPDATE recording_device SET revoked_at = $1, name = '' WHERE id = $2`, at.UnixMilli(), deviceID)
	}
	if err != nil {
		return fmt.Errorf("revoke a device: %w", err)
	}
	return nil
}

// readWrap reads the key of a recording for a device; nil when there is none.
func readWrap(ctx context.Context, tx *db.Tx, recordingID, deviceID string) (*Wrap, error) {
	w := Wrap{DeviceID: deviceID}
	err := tx.QueryRow(ctx, `SELECT enc, ciphertext FROM recording_wrap WHERE recording_id = $1 AND device_id = $2`, recordingID, deviceID).
		Scan(&w.Enc, &w.Ciphertext)
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // no wrap is an answer, not an error
	}
	if err != nil {
		return nil, fmt.Errorf("read a wrapped key: %w", err)
	}
	return &w, nil
}

// canOpen reports whether a device of an account has the key of a recording.
func canOpen(ctx context.Context, tx *db.Tx, recordingID, accountID string) (found bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM recording_wrap w JOIN recording_device d ON d.id = w.device_id
		WHERE w.recording_id = $1 AND d.account_id = $2 AND d.revoked_at IS NULL)`, recordingID, accountID).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for a device with the key: %w", err)
	}
	return found, nil
}

// insertWraps stores wraps for devices that have none. madeBy is the account that made
// them; "" for a host without one.
func insertWraps(ctx context.Context, tx *db.Tx, recordingID, madeBy string, wraps []Wrap, now time.Time) error {
	for _, w := range wraps {
		_, err := tx.Exec(ctx, `INSERT INTO recording_wrap (recording_id, device_id, enc, ciphertext, made_at, made_by) VALUES ($1, $2, $3, $4, $5, $6)`,
			recordingID, w.DeviceID, w.Enc, w.Ciphertext, now.UnixMilli(), db.Text(madeBy))
		if err != nil {
			return fmt.Errorf("store a wrapped key: %w", err)
		}
	}
	return nil
}

// deleteWrap deletes the key of a recording for a device, and returns whether there was
// one.
func deleteWrap(ctx context.Context, tx *db.Tx, recordingID, deviceID string) (found bool, err error) {
	n, err := tx.Exec(ctx, `DELETE FROM recording_wrap WHERE recording_id = $1 AND device_id = $2`, recordingID, deviceID)
	if err != nil {
		return false, fmt.Errorf("delete a wrapped key: %w", err)
	}
	return n > 0, nil
}

// oldRevoked finds devices that were revoked before a moment.
func oldRevoked(ctx context.Context, tx *db.Tx, before time.Time, many int) ([]string, error) {
	ids, err := db.IDs(ctx, tx, `SELECT id FROM recording_device WHERE revoked_at < $1 LIMIT $2`, before.UnixMilli(), many)
	if err != nil {
		return nil, fmt.Errorf("find devices that were revoked long ago: %w", err)
	}
	return ids, nil
}

package group

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/conclave-rooms/conclave/internal/db"
)

// placesOf reads the places of a room, without those where nothing has happened.
func placesOf(ctx context.Context, tx *db.Tx, roomID string) ([]place, error) {
	places, err := db.Query(ctx, tx, func(s db.Scanner) (p place, err error) {
		var ended db.Null[int64]
		err = s.Scan(&p.RoomID, &p.BreakoutID, &p.GroupID, &p.Epoch, &p.FoundedSeq, &p.Founder, &p.Seq, &ended)
		p.EndedAt = db.Time(ended)
		return p, err
	}, `SELECT room_id, breakout_id, group_id, epoch, founded_seq, founder, seq, ended_at FROM group_place WHERE room_id = $1`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read the groups of a room: %w", err)
	}
	return places, nil
}

// ensurePlace makes a place without a group, if it is not there.
func ensurePlace(ctx context.Context, tx *db.Tx, roomID, breakoutID string) error {
	_, err := tx.Exec(ctx, `INSERT INTO group_place (room_id, breakout_id, group_id, epoch, founded_seq, seq) VALUES ($1, $2, '', 0, 0, 0)
		ON CONFLICT (room_id, breakout_id) DO NOTHING`, roomID, breakoutID)
	if err != nil {
		return fmt.Errorf("make the place of a group: %w", err)
	}
	return nil
}

func savePlace(ctx context.Context, tx *db.Tx, p place) error {
	_, err := tx.Exec(ctx, `INSERT INTO group_place (room_id, breakout_id, group_id, epoch, founded_seq, founder, seq, ended_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (room_id, breakout_id) DO UPDATE SET group_id = excluded.group_id, epoch = excluded.epoch,
			founded_seq = excluded.founded_seq, founder = excluded.founder, seq = excluded.seq, ended_at = excluded.ended_at`,
		p.RoomID, p.BreakoutID, p.GroupID, p.Epoch, p.FoundedSeq, p.Founder, p.Seq, db.Millis(p.EndedAt))
	if err != nil {
		return fmt.Errorf("write a group: %w", err)
	}
	return nil
}

// deleteEmptyPlaces deletes the places of a room where no device is.
func deleteEmptyPlaces(ctx context.Context, tx *db.Tx, roomID string) error {
	_, err := tx.Exec(ctx, `DELETE FROM group_place WHERE room_id = $1 AND NOT EXISTS (SELECT 1 FROM group_device d
		WHERE d.room_id = group_place.room_id AND d.breakout_id = group_place.breakout_id)`, roomID)
	if err != nil {
		return fmt.Errorf("delete the places of groups: %w", err)
	}
	return nil
}

// abandonedRooms finds the rooms with places where no device is: the seats of all of
// them were deleted.
func abandonedRooms(ctx context.Context, tx *db.Tx) ([]string, error) {
	ids, err := db.IDs(ctx, tx, `SELECT DISTINCT p.room_id FROM group_place p WHERE NOT EXISTS (SELECT 1 FROM group_device d
		WHERE d.room_id = p.room_id AND d.breakout_id = p.breakout_id)`)
	if err != nil {
		return nil, fmt.Errorf("find the places of groups where nobody is: %w", err)
	}
	return ids, nil
}

// deleteRoom deletes everything about the groups of a room; the log goes with its
// place.
func deleteRoom(ctx context.Context, tx *db.Tx, roomID string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM group_device WHERE room_id = $1`, roomID); err != nil {
		return fmt.Errorf("delete the devices of groups: %w", err)
	}
	return deleteEmptyPlaces(ctx, tx, roomID)
}

const deviceColumns = `room_id, identity, breakout_id, let_in_at, due_at, added, added_seq, added_at, key_package, key_package_hash, passed, refused_group, refused_author, barred`

func scanDevice(s db.Scanner) (device, error) {
	var (
		d                 device
		letIn, due, added db.Null[int64]
	)
	err := s.Scan(&d.RoomID, &d.Identity, &d.BreakoutID, &letIn, &due, &d.Added, &d.AddedSeq, &added, &d.KeyPackage, &d.Hash, &d.Passed, &d.RefusedGroup, &d.RefusedAuthor, &d.Barred)
	d.LetInAt, d.DueAt, d.AddedAt = db.Time(letIn), db.Time(due), db.Time(added)
	return d, err //nolint:wrapcheck // the callers say what they looked for
}

// devicesOf reads the devices of a room, in all its places.
func devicesOf(ctx context.Context, tx *db.Tx, roomID string) ([]device, error) {
	devices, err := db.Query(ctx, tx, scanDevice, `SELECT `+deviceColumns+` FROM group_device WHERE room_id = $1 ORDER BY identity`, roomID)
	if err != nil {
		return nil, fmt.Errorf("read the devices of groups: %w", err)
	}
	return devices, nil
}

// oneDevice reads a device; nil when it has sent nothing yet.
func oneDevice(ctx context.Context, tx *db.Tx, roomID, identity string) (*device, error) {
	d, err := scanDevice(tx.QueryRow(ctx, `SELECT `+deviceColumns+` FROM group_device WHERE room_id = $1 AND identity = $2`, roomID, identity))
	if errors.Is(err, db.ErrNoRows) {
		return nil, nil //nolint:nilnil // no device is an answer, not an error
	}
	if err != nil {
		return nil, fmt.Errorf("read a device of a group: %w", err)
	}
	return &d, nil
}

func saveDevice(ctx context.Context, tx *db.Tx, d device) error {
	_, err := tx.Exec(ctx, `INSERT INTO group_device (`+deviceColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
		ON CONFLICT (room_id, identity) DO UPDATE SET breakout_id = excluded.breakout_id, let_in_at = excluded.let_in_at,
			due_at = excluded.due_at, added = excluded.added, added_seq = excluded.added_seq, added_at = excluded.added_at,
			key_package = excluded.key_package, key_package_hash = excluded.key_package_hash, passed = excluded.passed, refused_group = excluded.refused_group,
			refused_author = excluded.refused_author, barred = excluded.barred`,
		d.RoomID, d.Identity, d.BreakoutID, db.Millis(d.LetInAt), db.Millis(d.DueAt), d.Added, d.AddedSeq, db.Millis(d.AddedAt), d.KeyPackage, d.Hash, d.Passed, d.RefusedGroup, d.RefusedAuthor, d.Barred)
	if err != nil {
		return fmt.Errorf("write a device of a group: %w", err)
	}
	return nil
}

func deleteDevice(ctx context.Context, tx *db.Tx, d device) error {
	if _, err := tx.Exec(ctx, `DELETE FROM group_device WHERE room_id = $1 AND identity = $2`, d.RoomID, d.Identity); err != nil {
		return fmt.Errorf("delete a device of a group: %w", err)
	}
	return nil
}

// dueRooms finds the rooms with a device that the gate let in and that did not arrive
// in time.
func dueRooms(ctx context.Context, tx *db.Tx, now int64) ([]string, error) {
	ids, err := db.IDs(ctx, tx, `SELECT room_id FROM group_device WHERE due_at <= $1`, now)
	if err != nil {
		return nil, fmt.Errorf("find devices that did not arrive: %w", err)
	}
	// Duplicates are removed here, because with DISTINCT SQLite would read all devices
	// in the order of their rooms.
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

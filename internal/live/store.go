package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// readState reads what is remembered of a room: of those who were let through
// and were not seen, as long as they may still come.
func readState(ctx context.Context, tx *db.Tx, roomID string, now time.Time) (state, error) {
	r, err := room.ByID(ctx, tx, roomID)
	if err != nil {
		return state{}, err
	}
	st := state{Room: r}
	if st.Meeting, err = seat.RunningMeeting(ctx, tx, roomID); err != nil {
		return state{}, err
	}
	if st.Seats, err = seat.Expected(ctx, tx, roomID, now); err != nil {
		return state{}, err
	}
	st.Breakouts, err = mediaOf(ctx, tx, roomID)
	return st, err
}

// revision reads how often what people are shown of the room has changed; 0
// before anybody was let in.
func revision(ctx context.Context, tx *db.Tx, roomID string) (int64, error) {
	var n int64
	err := tx.QueryRow(ctx, `SELECT revision FROM live_room WHERE room_id = $1`, roomID).Scan(&n)
	if err != nil && !errors.Is(err, db.ErrNoRows) {
		return 0, fmt.Errorf("read the room's revision: %w", err)
	}
	return n, nil
}

// bump raises the room's revision, so that devices which follow the room read
// it again.
func bump(ctx context.Context, tx *db.Tx, roomID string) error {
	_, err := tx.Exec(ctx, `INSERT INTO live_room (room_id, passphrase, passphrase_until, revision) VALUES ($1, '', 0, 1)
		ON CONFLICT (room_id) DO UPDATE SET revision = live_room.revision + 1`, roomID)
	if err != nil {
		return fmt.Errorf("raise the room's revision: %w", err)
	}
	return nil
}

// busyRooms lists the rooms that Tick looks at: a meeting runs, somebody was
// let through since the given moment, or a breakout was closed and its media
// room may be there still.
func busyRooms(ctx context.Context, tx *db.Tx, since time.Time) ([]string, error) {
	ids, err := db.Query(ctx, tx, func(s db.Scanner) (id string, err error) { return id, s.Scan(&id) },
		seat.BusyRooms+` UNION SELECT room_id FROM breakout_media WHERE closed_at IS NOT NULL`, since.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("list the rooms where people meet: %w", err)
	}
	return ids, nil
}

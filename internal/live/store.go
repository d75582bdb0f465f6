package live

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// readState reads what is remembered of a room. It includes people who were let
// through and not seen, while they may still come.
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
	st.Breakouts, err = mediaroom.Breakouts(ctx, tx, roomID)
	return st, err
}

// busyRooms lists the rooms for Tick: a meeting runs, somebody was let through
// since the given moment, or a breakout was closed and its media room may still
// exist.
func busyRooms(ctx context.Context, tx *db.Tx, since time.Time) ([]string, error) {
	ids, err := db.Query(ctx, tx, func(s db.Scanner) (id string, err error) { return id, s.Scan(&id) },
		seat.BusyRooms+` UNION `+mediaroom.WithClosed, since.UnixMilli())
	if err != nil {
		return nil, fmt.Errorf("list the rooms where people meet: %w", err)
	}
	return ids, nil
}

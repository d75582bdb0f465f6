package stream

import (
	"context"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Board is the parts that another feature adds to the streams of people in a
// meeting. It is read once for everybody who follows the room on this node, and
// then adapted to each of them.
type Board struct {
	Name string // of the feature
	// Revision reads a number that grows whenever the board changes. Nil: the
	// room's own, which grows with every call of Changed. A feature whose changes
	// come many at a time has a revision of its own, and calls FrequentlyChanged, so
	// that streams do not read the room's people again because of them.
	Revision func(ctx context.Context, tx *db.Tx, roomID string) (int64, error)
	// Arriving boards are also sent to devices that were let through and are not in
	// the meeting yet.
	Arriving bool
	Read     func(ctx context.Context, tx *db.Tx, roomID string) (ShowTo, error)
}

// ShowTo picks the parts for the holder of a seat from what was read of a room. It
// is called outside the transaction in which that was read, for several people at
// once.
type ShowTo func(ctx context.Context, held seat.Seat) ([]Shown, error)

// Shown is one part of a board, as one person gets it. The feature describes it with
// rest.AddEvent.
type Shown struct {
	Name string // of the stream's event
	Data any
}

// Written is the JSON of a T that was written before, once for several people.
type Written[T any] struct{ JSON []byte }

// MarshalJSON returns the JSON.
func (w Written[T]) MarshalJSON() ([]byte, error) { return w.JSON, nil }

// Shows returns a T, by which the protocol's description knows the type.
func (Written[T]) Shows() any {
	var v T
	return v
}

// shows reads the boards of the features above at a revision of the room: all of
// them, or only those for people who are arriving.
func (s *Service) shows(ctx context.Context, tx *db.Tx, roomID string, shared *sharedView, now int64, arriving bool) ([]ShowTo, error) {
	var shows []ShowTo
	for _, board := range s.Boards {
		if arriving && !board.Arriving {
			continue
		}
		newest, err := now, error(nil)
		if board.Revision != nil {
			newest, err = board.Revision(ctx, tx, roomID)
		}
		if err != nil {
			return nil, err
		}
		show, err := shared.board(board.Name).at(newest, func(ShowTo) (ShowTo, error) { return board.Read(ctx, tx, roomID) })
		if err != nil {
			return nil, err
		}
		shows = append(shows, show)
	}
	return shows, nil
}

// partsShown returns the parts of the features above for the holder of a seat.
func partsShown(ctx context.Context, shows []ShowTo, held seat.Seat) ([]part, error) {
	var parts []part
	for _, show := range shows {
		shown, err := show(ctx, held)
		if err != nil {
			return nil, err
		}
		for _, one := range shown {
			p, err := newPart(one.Name, one.Data)
			if err != nil {
				return nil, err
			}
			parts = append(parts, p)
		}
	}
	return parts, nil
}

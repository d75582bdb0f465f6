package stream

import (
	"context"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Feed is what another feature tells the people in a meeting, on their streams.
// It is read once for all who follow the room on this node, and shown to each
// of them in their own way.
type Feed struct {
	Name string // of the feature
	// Revision reads a number that grows whenever what is told changes. Nil: the
	// room's own, which grows with every call of Changed. A feature whose changes
	// come many at a time has one of its own, and tells of them with OftenChanged:
	// then nobody reads the room's people again because of them.
	Revision func(ctx context.Context, tx *db.Tx, roomID string) (int64, error)
	Read     func(ctx context.Context, tx *db.Tx, roomID string) (ShowTo, error)
}

// ShowTo picks, of what was read of a room, what the holder of a seat is told.
type ShowTo func(ctx context.Context, tx *db.Tx, held seat.Seat) ([]Shown, error)

// Shown is one part of what people are told.
type Shown struct {
	Name string // of the stream's event
	Data any
}

// fed is what the features above tell the holder of a seat who is in, when the
// room is at a revision.
func (s *Service) fed(ctx context.Context, tx *db.Tx, held seat.Seat, shared *sharedView, now int64) ([]part, error) {
	var parts []part
	for _, feed := range s.Feeds {
		newest, err := now, error(nil)
		if feed.Revision != nil {
			newest, err = feed.Revision(ctx, tx, held.RoomID)
		}
		if err != nil {
			return nil, err
		}
		show, err := shared.fed(feed.Name).at(newest, func() (ShowTo, error) { return feed.Read(ctx, tx, held.RoomID) })
		if err != nil {
			return nil, err
		}
		told, err := show(ctx, tx, held)
		if err != nil {
			return nil, err
		}
		for _, t := range told {
			p, err := newPart(t.Name, t.Data)
			if err != nil {
				return nil, err
			}
			parts = append(parts, p)
		}
	}
	return parts, nil
}

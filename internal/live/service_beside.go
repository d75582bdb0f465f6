package live

import (
	"context"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Beside is a part of the streams that another feature tells people who are in,
// and that changes far more often than the room does. So it has a revision of
// its own: a change of it does not make anybody read the room's people again,
// as a change behind Show does. It is read once for all who follow the room on
// this node, and shown to each of them in their own way.
type Beside struct {
	Name string // of the part
	// Revision reads a number that grows whenever what is told changes.
	Revision func(ctx context.Context, tx *db.Tx, roomID string) (int64, error)
	Read     func(ctx context.Context, tx *db.Tx, roomID string) (SeenBy, error)
}

// SeenBy shows what was read of a room to the holder of one seat.
type SeenBy func(ctx context.Context, tx *db.Tx, seat Seat) (any, error)

// OftenTopic is the topic on which changes of a room are told that come many at
// a time, as votes do. A stream gathers them for gatherFor before it looks: a
// thousand people who vote at once must not make a thousand devices look a
// thousand times.
func OftenTopic(roomID string) string { return "often/" + roomID }

// partsBeside is what the features above tell the holder of a seat.
func (s *Service) partsBeside(ctx context.Context, tx *db.Tx, seat Seat, shared *sharedView) ([]part, error) {
	if seat.Waits() || seat.Status == New {
		return nil, nil // as in partsFor
	}
	var parts []part
	for _, b := range s.Beside {
		now, err := b.Revision(ctx, tx, seat.RoomID)
		if err != nil {
			return nil, err
		}
		show, err := shared.beside(b.Name).at(now, func() (SeenBy, error) { return b.Read(ctx, tx, seat.RoomID) })
		if err != nil {
			return nil, err
		}
		shown, err := show(ctx, tx, seat)
		if err != nil {
			return nil, err
		}
		p, err := newPart(b.Name, shown)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

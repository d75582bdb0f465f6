package stream

import (
	"context"
	"log/slog"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/notify"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Service tells people's devices what happens.
type Service struct {
	DB        *db.DB
	Hub       *notify.Hub
	Now       func() time.Time
	Logger    *slog.Logger
	PublicURL string
	// MayKnow says whether somebody who is not in the meeting may be told about
	// its room.
	MayKnow func(ctx context.Context, tx *db.Tx, r room.Room, held seat.Seat) (bool, error)
	// Feeds are what the features above tell the people in a meeting, in this
	// order.
	Feeds    []Feed
	Draining <-chan struct{} // closed when the service stops: streams end with a word

	views     views
	followers followers
}

// Topic is the topic on which changes of a room's meeting are told.
func Topic(roomID string) string { return "room/" + roomID }

// Changed notes in the transaction that the meeting of a room changed:
// everybody who follows it looks again.
func (s *Service) Changed(ctx context.Context, tx *db.Tx, roomID string) error {
	if err := bump(ctx, tx, roomID); err != nil {
		return err
	}
	return s.Hub.Notify(ctx, tx, Topic(roomID))
}

// doorTopic is the topic of those who wait before the door of a room. Most of
// what happens in a meeting does not concern them, and there may be many of them.
func doorTopic(roomID string) string { return Topic(roomID) + "/door" }

// DoorChanged is Changed where those who wait have to look as well: at whether
// they may enter, are turned away, or what the room now is.
func (s *Service) DoorChanged(ctx context.Context, tx *db.Tx, roomID string) error {
	if err := s.Changed(ctx, tx, roomID); err != nil {
		return err
	}
	return s.Hub.Notify(ctx, tx, doorTopic(roomID))
}

// oftenTopic is the topic on which changes of a room are told that come many at
// a time, as votes do. A stream gathers them for gatherFor before it looks: a
// thousand people who vote at once must not make a thousand devices look a
// thousand times.
func oftenTopic(roomID string) string { return "often/" + roomID }

// OftenChanged is Changed for what a feed with a revision of its own tells, which
// changes many times at once.
func (s *Service) OftenChanged(ctx context.Context, tx *db.Tx, roomID string) error {
	return s.Hub.Notify(ctx, tx, oftenTopic(roomID))
}

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

// Service sends people's devices what happens.
type Service struct {
	DB        *db.DB
	Hub       *notify.Hub
	Now       func() time.Time
	Logger    *slog.Logger
	PublicURL string
	// MayKnow says whether a person who is not in the meeting may know about its
	// room.
	MayKnow func(ctx context.Context, tx *db.Tx, r room.Room, held seat.Seat) (bool, error)
	// OnChange is called in the transaction of every change of a room's meeting,
	// before devices read it.
	OnChange func(ctx context.Context, tx *db.Tx, roomID string) error
	// Boards are the boards of the features above, in the order in which their
	// parts are sent.
	Boards   []Board
	Draining <-chan struct{} // closed when the service stops: streams end with a reason

	views     views
	followers followers
	returns   together[struct{}] // notes that people who wait are back
}

// Open is how many streams are open at this node.
func (s *Service) Open() int { return s.followers.open() }

// Topic is the topic for changes of a room's meeting.
func Topic(roomID string) string { return "room/" + roomID }

// Changed notes in the transaction that the meeting of a room changed. Every
// stream of the room reads it again.
func (s *Service) Changed(ctx context.Context, tx *db.Tx, roomID string) error {
	if err := s.OnChange(ctx, tx, roomID); err != nil {
		return err
	}
	if err := bump(ctx, tx, roomID); err != nil {
		return err
	}
	s.Hub.Notify(tx, Topic(roomID))
	return nil
}

// lineTopic is the topic for people who wait in the line of a room. Most
// changes in a meeting do not concern them, and there may be many of them.
func lineTopic(roomID string) string { return Topic(roomID) + "/line" }

// DoorChanged is Changed for changes that also concern people who wait: whether
// they may enter or are denied, and what the room now is.
func (s *Service) DoorChanged(ctx context.Context, tx *db.Tx, roomID string) error {
	if err := s.Changed(ctx, tx, roomID); err != nil {
		return err
	}
	s.Hub.Notify(tx, lineTopic(roomID))
	return nil
}

// ReadAnew makes all streams read their rooms from the database. It is called when the
// database may have lost commits, and with them revisions.
func (s *Service) ReadAnew() { s.views.forget() }

// frequentTopic is the topic for changes of a room that come many at a time, such as
// votes. A stream gathers them for gatherFor before it reads: a thousand people who
// vote at once must not make a thousand devices read a thousand times. Nodes of earlier
// versions use the same word for it.
func frequentTopic(roomID string) string { return "often/" + roomID }

// FrequentlyChanged is Changed for a board with a revision of its own, which changes many
// times at once.
func (s *Service) FrequentlyChanged(ctx context.Context, tx *db.Tx, roomID string) error {
	s.Hub.Notify(tx, frequentTopic(roomID))
	return nil
}

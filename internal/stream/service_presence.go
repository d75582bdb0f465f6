package stream

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/loop"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Opening and closing a stream is cheap for a stranger, and each note is a write that
// makes everybody in the room read. So a node notes who is there for many people in
// one transaction, and does not note short absences at all.
const (
	// awayAfter is how long a person who waits may have no open stream before the
	// service notes that they are away. A page that is loaded again opens one sooner.
	awayAfter = 5 * time.Second
	// awayEvery is how often absences are noted.
	awayEvery = time.Second
	// notesAtOnce is how many people one transaction notes, so that other writers
	// do not wait long.
	notesAtOnce = 200
	// noteWithin bounds the notes about people who came back, and lastNotes the last
	// ones when the service stops.
	noteWithin = 10 * time.Second
	lastNotes  = time.Second
)

// seatTopic is the topic for one person who waits: they were noted as away.
func seatTopic(k seat.Key) string { return lineTopic(k.RoomID) + "/" + k.Identity }

// Run notes who went away until ctx ends. Then it notes those who went away a moment
// ago: other nodes that go on do not know about them.
func (s *Service) Run(ctx context.Context) {
	failed := func(err error) {
		s.Logger.WarnContext(ctx, "it could not be noted that people who waited are gone; trying again", "error", err)
	}
	loop.Later(ctx, awayEvery, s.NoteAway, failed)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastNotes)
	defer cancel()
	if err := s.noteGone(last, s.Now()); err != nil {
		failed(err)
	}
}

// NoteAway notes the waiting people whose devices have not followed here for awayAfter.
// Otherwise hosts would see a person who closed the page for an hour.
func (s *Service) NoteAway(ctx context.Context) error {
	return s.noteGone(ctx, s.Now().Add(-awayAfter))
}

// noteGone notes the people whose last stream here ended at a moment or before.
func (s *Service) noteGone(ctx context.Context, moment time.Time) error {
	for {
		gone := s.followers.goneSince(moment, notesAtOnce)
		if len(gone) == 0 {
			return nil
		}
		if err := s.note(ctx, gone); err != nil {
			return err
		}
		s.followers.noted(gone)
	}
}

// isBack notes that a person who was noted as away follows. People who come back while
// others are being noted wait, and are noted together: after a restart of the service,
// everybody who waits comes back.
func (s *Service) isBack(ctx context.Context, w waiter) {
	s.followers.comesBack(w)
	_, _ = s.returns.now(func() (none struct{}, _ error) {
		// The others still wait for it when this device is gone.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
		defer cancel()
		for some := range slices.Chunk(s.followers.takeBack(), notesAtOnce) {
			if err := s.note(ctx, some); err != nil {
				s.Logger.WarnContext(ctx, "it could not be noted that people who wait are there; trying again with their next heartbeat", "error", err)
				break
			}
		}
		return none, nil
	})
}

// note writes down about several people who wait whether they are there.
//
// A device may follow on another node, or has begun to follow here meanwhile. So the
// streams of a person who is noted as away are woken, and correct this at once.
func (s *Service) note(ctx context.Context, people []waiter) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		rooms := map[string]bool{}
		for _, w := range people {
			changed, err := seat.SetAway(ctx, tx, w.Key, w.ticketHash, w.awayAt)
			if err != nil {
				return err
			}
			if !changed {
				continue
			}
			rooms[w.RoomID] = true
			if !w.awayAt.IsZero() {
				s.Hub.Notify(tx, seatTopic(w.Key))
			}
		}
		for _, roomID := range slices.Sorted(maps.Keys(rooms)) {
			if err := s.Changed(ctx, tx, roomID); err != nil {
				return err
			}
		}
		return nil
	})
}

// waits names a person in the line, for a note that nobody follows for them since
// awayAt.
func waits(held seat.Seat, ticketHash string, awayAt time.Time) waiter {
	return waiter{Key: seat.Key{RoomID: held.RoomID, Identity: held.Identity}, ticketHash: ticketHash, awayAt: awayAt}
}

// absence returns the person to note as away when their last stream ends, or nil.
func (s *Service) absence(held seat.Seat, ticketHash string) *waiter {
	if !held.Waits() {
		return nil
	}
	select {
	case <-s.Draining: // after the next start everybody who waits counts as gone until they are back
		return nil
	default:
		w := waits(held, ticketHash, s.Now())
		return &w
	}
}

// NobodyFollows notes that no device of people who wait follows: at a start of the
// service, and when another node is gone, which cannot note who followed there. It wakes
// the devices that follow, which correct this.
func (s *Service) NobodyFollows(ctx context.Context) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		rooms, err := seat.MarkAllAway(ctx, tx, s.Now())
		for _, roomID := range rooms {
			s.Hub.Notify(tx, lineTopic(roomID))
		}
		return err
	})
}

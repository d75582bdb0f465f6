package stream

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/seat"
)

const (
	// heartbeatEvery keeps the stream alive through proxies; a device that
	// hears nothing for 40 s connects again.
	heartbeatEvery = 15 * time.Second
	// settleFor is the shortest time between two messages. A change that comes alone is
	// sent at once; more of them within that time are gathered.
	settleFor = 40 * time.Millisecond
	// gatherFor does the same for changes that come many at a time; see
	// oftenTopic.
	gatherFor = 500 * time.Millisecond
)

// endElsewhere ends the stream of a device whose ticket was replaced, because
// another device joined with the same link.
const endElsewhere = "elsewhere"

// Holder finds the seat of a ticket, also when the seat is over.
func (s *Service) Holder(ctx context.Context, ticket string) (held seat.Seat, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		held, _, err = seat.AnyByTicket(ctx, tx, ticket)
		return err
	})
	return held, err
}

// Follow sends the holder of a ticket what happens in a room, until their seat is
// over, the device disconnects, or the service stops.
func (s *Service) Follow(ctx context.Context, held seat.Seat, ticket string, st *stream) error {
	roomID := held.RoomID
	// Subscribed before the first reading, so that no change is missed.
	inside, cancelInside := s.Hub.Subscribe(Topic(roomID))
	defer cancelInside()
	often, cancelOften := s.Hub.Subscribe(oftenTopic(roomID))
	defer cancelOften()
	outside, cancelOutside := s.Hub.Subscribe(doorTopic(roomID))
	defer cancelOutside()
	shared, release := s.views.follow(roomID)
	defer release()
	self := s.followers.enter(seat.TicketHash(ticket))
	beat := time.NewTicker(heartbeatEvery)
	defer beat.Stop()
	defer func() {
		last := s.followers.leave(seat.TicketHash(ticket), self)
		select {
		case <-s.Draining: // after the next start everybody who waits counts as gone until they are back
		default:
			if held.Waits() && last {
				s.presence(context.WithoutCancel(ctx), held, s.Now())
			}
		}
	}()
	for {
		now, parts, end, err := s.readParts(ctx, held, ticket, shared)
		if fault.HasCode(err, api.CodeTicketInvalid) {
			parts, end, err = nil, endElsewhere, nil
		}
		if err != nil {
			return err
		}
		if now != nil {
			held = *now
		}
		settled := closedAfter(settleFor)
		if held.Waits() && !held.AwayAt.IsZero() {
			s.presence(ctx, held, time.Time{})
		}
		if err := st.send(parts); err != nil {
			return nil // the device is gone: the usual end of a stream
		}
		if end != "" {
			_ = st.last("end", endView{end})
			return nil
		}
		wake, gather := inside, often
		if held.Waits() {
			wake, gather = outside, nil
		}
		woken, err := s.await(ctx, st, self, wake, gather, settled, beat.C)
		if err != nil || !woken {
			return nil
		}
	}
}

// presence notes whether a device of a person who waits follows, so that hosts do
// not see a person who closed the page for an hour.
func (s *Service) presence(ctx context.Context, held seat.Seat, awayAt time.Time) {
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		if err := seat.SetAway(ctx, tx, held.RoomID, held.Identity, awayAt); err != nil {
			return err
		}
		return s.Changed(ctx, tx, held.RoomID)
	})
	if err != nil && ctx.Err() == nil {
		s.Logger.WarnContext(ctx, "the presence of a person who waits could not be noted", "room_id", held.RoomID, "error", err)
	}
}

// NobodyFollows notes at a start of the service that no device of people who wait
// follows yet. Devices that are still there correct this within a heartbeat.
func (s *Service) NobodyFollows(ctx context.Context) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error { return seat.MarkAllAway(ctx, tx, s.Now()) })
}

// await waits for something to change; false when there is nothing to wait
// for any more.
func (s *Service) await(ctx context.Context, st *stream, self *follower, wake, often, settled <-chan struct{}, beat <-chan time.Time) (bool, error) {
	for {
		select {
		case <-ctx.Done():
			return false, nil
		case <-self.replaced:
			return false, st.last("end", endView{endElsewhere})
		case <-s.Draining:
			return false, st.last("restarting", restartingView{"The service is restarting. You will be back in a moment."})
		case <-beat:
			if err := st.heartbeat(); err != nil {
				return false, err
			}
			// People who wait check whether their seat counts as gone. Every
			// stream finds changes by another process in a database without
			// wake-ups between processes.
			return true, nil
		case <-wake:
			return s.pause(ctx, settled, nil), nil
		case <-often:
			gathered := closedAfter(gatherFor)
			if !s.pause(ctx, gathered, wake) {
				return false, nil
			}
			return s.pause(ctx, settled, nil), nil
		}
	}
}

// pause gathers changes until a channel is closed, or until a change comes that must
// be sent sooner; false when the device is gone.
func (s *Service) pause(ctx context.Context, over, wake <-chan struct{}) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s.Draining: // await notices it, after the gathered changes are sent
		return true
	case <-over:
		return true
	case <-wake:
		return true
	}
}

// closedAfter returns a channel that is closed after a while.
func closedAfter(while time.Duration) <-chan struct{} {
	over := make(chan struct{})
	time.AfterFunc(while, func() { close(over) })
	return over
}

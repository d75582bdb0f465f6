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
	// frequentTopic.
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
	// Subscribed before the first reading, so that no change is missed.
	inside, line, cancel := s.subscribe(held)
	defer cancel()
	shared, release := s.views.follow(held.RoomID)
	defer release()
	hash := seat.TicketHash(ticket)
	self := s.followers.enter(hash)
	defer func() { s.followers.leave(hash, self, s.absence(held, hash)) }()
	beat := time.NewTicker(heartbeatEvery)
	defer beat.Stop()
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
			s.isBack(ctx, waits(held, hash, time.Time{}))
		}
		if err := st.send(parts); err != nil {
			return nil // the device is gone: the usual end of a stream
		}
		if end != "" {
			_ = st.last("end", endView{end})
			return nil
		}
		on := inside
		if held.Waits() {
			on = line
		}
		woken, err := s.await(ctx, st, self, on, settled, beat.C)
		if err != nil || !woken {
			return nil
		}
	}
}

// signals wake a stream. A channel that is nil never does.
type signals struct {
	now      <-chan struct{} // a change
	frequent <-chan struct{} // changes that come many at a time
	noted    <-chan struct{} // the person was noted as away
}

// subscribe returns what wakes the stream of a seat while its holder is inside, and
// while they wait in the line.
func (s *Service) subscribe(held seat.Seat) (inside, line signals, cancel func()) {
	var cancels []func()
	to := func(topic string) <-chan struct{} {
		wake, cancel := s.Hub.Subscribe(topic)
		cancels = append(cancels, cancel)
		return wake
	}
	inside = signals{now: to(Topic(held.RoomID)), frequent: to(frequentTopic(held.RoomID)), noted: nil}
	line = signals{now: to(lineTopic(held.RoomID)), frequent: nil, noted: to(seatTopic(seat.Key{RoomID: held.RoomID, Identity: held.Identity}))}
	return inside, line, func() {
		for _, cancel := range cancels {
			cancel()
		}
	}
}

// await waits for something to change; false when there is nothing to wait
// for any more.
func (s *Service) await(ctx context.Context, st *stream, self *follower, on signals, settled <-chan struct{}, beat <-chan time.Time) (bool, error) {
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
			// A person who waits may have been noted as away. And SQLite does not wake
			// this process when another one, such as a command, has changed something.
			return true, nil
		case <-on.now:
			return s.pause(ctx, settled, nil), nil
		case <-on.noted:
			return s.pause(ctx, settled, nil), nil
		case <-on.frequent:
			gathered := closedAfter(gatherFor)
			if !s.pause(ctx, gathered, on.now) {
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

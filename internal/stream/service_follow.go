package stream

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

const (
	// heartbeatEvery keeps the stream alive through proxies; a device that
	// hears nothing for 40 s connects again.
	heartbeatEvery = 15 * time.Second
	// settleFor gathers changes that come close together into one message.
	settleFor = 40 * time.Millisecond
	// gatherFor does the same for changes that come many at a time; see
	// oftenTopic.
	gatherFor = 500 * time.Millisecond
)

// endElsewhere ends the stream of a device whose ticket was replaced, because
// another device joined with the same link.
const endElsewhere = "elsewhere"

// holderOf finds the seat of a ticket, also when the seat is over.
func (s *Service) holderOf(ctx context.Context, ticket string) (held seat.Seat, err error) {
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
		now, parts, end, err := s.readParts(ctx, ticket, shared)
		if fault.HasCode(err, api.CodeTicketInvalid) {
			parts, end, err = nil, endElsewhere, nil
		}
		if err != nil {
			return err
		}
		if now != nil {
			held = *now
		}
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
		woken, err := s.await(ctx, st, self, wake, gather, beat.C)
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
func (s *Service) await(ctx context.Context, st *stream, self *follower, wake, often <-chan struct{}, beat <-chan time.Time) (bool, error) {
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
			return s.pause(ctx, settleFor, nil), nil
		case <-often:
			return s.pause(ctx, gatherFor, wake), nil
		}
	}
}

// pause gathers changes for a while, or until a change comes that must be sent
// sooner; false when the device is gone.
func (s *Service) pause(ctx context.Context, long time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-s.Draining: // await notices it, after the gathered changes are sent
		return true
	case <-timer.C:
		return true
	case <-wake:
		return s.pause(ctx, settleFor, nil)
	}
}

// readParts reads all parts for the holder of a ticket. Parts that are the same for
// the room's people are read once for all of them.
func (s *Service) readParts(ctx context.Context, ticket string, shared *sharedView) (held *seat.Seat, parts []part, end string, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		held, err = seat.ByTicketHash(ctx, tx, seat.TicketHash(ticket))
		if err != nil {
			return err
		}
		if held == nil {
			return seat.ErrTicket()
		}
		var in inside
		if held.Takes(s.Now()) {
			in, err = s.within(ctx, tx, *held, shared)
		} else {
			in, err = s.without(ctx, tx, *held, shared)
		}
		if err != nil {
			return err
		}
		if end = in.endOf(*held); end != "" {
			return nil
		}
		parts, err = in.partsFor(*held)
		return err
	})
	return held, parts, end, err
}

// inside is the shared parts that a person gets: all of them if they are in, and
// only the room otherwise.
type inside struct {
	view

	whole bool   // they get more than the room
	blank bool   // they get less: only that the room exists
	line  part   // who knocks, for hosts
	fed   []part // the parts of the features above
}

// within reads the parts for people who are in, once for all of them.
func (s *Service) within(ctx context.Context, tx *db.Tx, held seat.Seat, shared *sharedView) (in inside, err error) {
	now, err := revision(ctx, tx, held.RoomID)
	if err != nil {
		return in, err
	}
	in.view, err = shared.at(now, func() (view, error) { return s.viewOf(ctx, tx, held.RoomID) })
	if err != nil {
		return in, err
	}
	if held.RoleNow() == api.RoleHost {
		in.line, err = shared.line.at(now, func() (part, error) {
			knocking, err := seat.Knockers(ctx, tx, held.RoomID)
			if err != nil {
				return part{}, err
			}
			return newPart("waiting", knockingViews(knocking))
		})
		if err != nil {
			return in, err
		}
	}
	in.whole = true
	in.fed, err = s.fed(ctx, tx, held, shared, now)
	return in, err
}

// without reads the parts for people who are not in: only the room, so that a long
// line before the door needs little work for each person in it. Strangers do not
// even get the room. People who are arriving also get some parts of the features above.
func (s *Service) without(ctx context.Context, tx *db.Tx, held seat.Seat, shared *sharedView) (in inside, err error) {
	if in.room, err = room.ByID(ctx, tx, held.RoomID); err != nil {
		return in, err
	}
	may, err := s.MayKnow(ctx, tx, in.room, held)
	if err != nil || !may {
		in.blank = true
		return in, err
	}
	if in.aboutRoom, err = newPart("room", ViewOf(in.room, s.PublicURL)); err != nil {
		return in, err
	}
	if held.Status != seat.LetThrough && held.Status != seat.Lost {
		return in, nil
	}
	now, err := revision(ctx, tx, held.RoomID)
	if err != nil {
		return in, err
	}
	in.fed, err = s.fed(ctx, tx, held, shared, now)
	return in, err
}

// viewOf reads the parts that are the same for everybody in a room.
func (s *Service) viewOf(ctx context.Context, tx *db.Tx, roomID string) (view, error) {
	r, err := room.ByID(ctx, tx, roomID)
	if err != nil {
		return view{}, err
	}
	meeting, err := seat.RunningMeeting(ctx, tx, roomID)
	if err != nil {
		return view{}, err
	}
	in, err := seat.Present(ctx, tx, roomID)
	if err != nil {
		return view{}, err
	}
	return newView(r, meeting, in, s.PublicURL)
}

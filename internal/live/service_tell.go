package live

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// alone lets one Sync at a time compare a room with the media server, and returns
// the function that lets the next one begin. A Sync sends its result to the media
// server before the next one begins, because a later message would undo what
// happened since. Syncs of other nodes may overlap. What they undo, a later Sync
// does again.
func (s *Service) alone(ctx context.Context, roomID string) (done func(), err error) {
	s.mu.Lock()
	if s.syncing == nil {
		s.syncing = map[string]*oneAtATime{}
	}
	one := s.syncing[roomID]
	if one == nil {
		one = &oneAtATime{free: make(chan struct{}, 1)}
		s.syncing[roomID] = one
	}
	one.asked++
	s.mu.Unlock()
	leave := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		one.asked--
		if one.asked == 0 {
			delete(s.syncing, roomID)
		}
	}
	select {
	case one.free <- struct{}{}:
		return func() { <-one.free; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, fmt.Errorf("wait for another Sync of room %s: %w", roomID, context.Cause(ctx))
	}
}

// oneAtATime is a lock. A wait for it ends early when its context ends.
type oneAtATime struct {
	asked int           // how many hold it or wait for it
	free  chan struct{} // holds one element while the lock is held
}

// tellMedia does what an outcome asks of the media server. The next Sync
// repeats what failed, because the difference is still there.
func (s *Service) tellMedia(ctx context.Context, st state, snap snapshot, o outcome) {
	for _, breakoutID := range o.Close {
		s.try("close the media room", st, s.Media.CloseRoom(ctx, seat.MediaRoom(st.Room.ID, breakoutID)))
	}
	o.Evict = slices.DeleteFunc(o.Evict, func(out intruder) bool { return slices.Contains(o.Close, out.BreakoutID) })
	s.tellEach(ctx, st, snap, o)
	severalAtOnce(len(o.Entered), func(i int) {
		s.try("turn off what a person came in with", st, s.turnOffOnEntry(ctx, o.Entered[i]))
	})
}

// tellEach does what concerns single people: it disconnects those who have to go,
// and changes names and rights. All depend on the person's own seat only, which is read
// again before. So nobody stays or keeps a right because something else in the
// room changes during every Sync.
func (s *Service) tellEach(ctx context.Context, st state, snap snapshot, o outcome) {
	severalAtOnce(len(o.Evict), func(i int) {
		s.try("disconnect a device that has to leave a media room", st, s.evict(ctx, st, snap, o.Evict[i]))
	})
	severalAtOnce(len(o.Regrant), func(i int) {
		s.try("change a person's name or rights", st, s.updateGrant(ctx, o.Regrant[i], snap))
	})
}

// peopleAtOnce limits how many people of a room the media server is asked about at the
// same time. Each request mostly waits, for the database or for the media server, and a
// room may have a thousand people.
const peopleAtOnce = 8

// severalAtOnce calls do for each of n people, for peopleAtOnce of them at the same time.
func severalAtOnce(n int, do func(i int)) {
	var group errgroup.Group
	group.SetLimit(peopleAtOnce)
	for i := range n {
		group.Go(func() error { do(i); return nil })
	}
	_ = group.Wait() // do returns no error
}

// evict disconnects a device that still has to leave a media room.
func (s *Service) evict(ctx context.Context, st state, snap snapshot, out intruder) error {
	r, held, err := s.reread(ctx, st.Room.ID, out.Identity)
	if err != nil {
		return err
	}
	if held != nil && held.MayBeConnected(r) && !out.Late && !new(outcome).mustGo(*held, out.BreakoutID, s.Now()) {
		return nil
	}
	if out.Late && held != nil {
		// Noted before the device is disconnected, so that the gate refuses it.
		if err := s.noteLate(ctx, *held); err != nil {
			return err
		}
	}
	// Only the connection that the snapshot showed: a device that was sent back into
	// this media room meanwhile may be here again.
	session := snap[out.BreakoutID].Sessions[out.Identity]
	return s.Media.Remove(ctx, seat.MediaRoom(r.ID, out.BreakoutID), out.Identity, session)
}

// updateGrant sends a seat's name and rights to the media server, if they still
// differ from those in the snapshot.
func (s *Service) updateGrant(ctx context.Context, before seat.Seat, snap snapshot) error {
	r, held, err := s.reread(ctx, before.RoomID, before.Identity)
	if err != nil || held == nil || !held.MayBeConnected(r) {
		return err
	}
	person, where, connected := snap.find(*held)
	if !connected {
		return nil
	}
	var now outcome
	now.arrive(state{Room: r}, *held, person, where == held.BreakoutID, snap[where].Generation, s.Now())
	for _, held := range now.Regrant {
		err = s.Media.UpdateGrant(ctx, grantOf(r, held))
	}
	return err
}

// reread reads a seat again; nil when there is none.
func (s *Service) reread(ctx context.Context, roomID, identity string) (r room.Room, held *seat.Seat, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		if r, err = room.ByID(ctx, tx, roomID); err != nil {
			return err
		}
		held, err = seat.ByIdentity(ctx, tx, roomID, identity)
		return err
	})
	return r, held, err
}

// turnOffOnEntry turns off the microphone or camera of a person who has come in, unless
// another node did so meanwhile. In that case they may have turned it on by now.
func (s *Service) turnOffOnEntry(ctx context.Context, e entrant) error {
	held := e.Seat
	_, now, err := s.reread(ctx, held.RoomID, held.Identity)
	if err != nil || now == nil || *e.Source.handled(now) {
		return err
	}
	muted := mutedTracks{}
	for _, track := range e.Tracks {
		err = errors.Join(err, s.Media.MuteTrack(ctx, held.MediaRoom(), held.Identity, track, true))
		muted.add(held, held.MediaRoom(), track)
	}
	if err != nil {
		return err
	}
	s.muteAgain(muted)
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		now, err := seat.ByIdentity(ctx, tx, held.RoomID, held.Identity)
		if err != nil || now == nil {
			return err
		}
		*e.Source.handled(now) = true
		return seat.Save(ctx, tx, *now)
	})
}

func (s *Service) try(what string, st state, err error) {
	if err != nil && !errors.Is(err, media.ErrNotFound) {
		s.Logger.Warn("the media server did not carry out a change; trying again soon", "what", what, "room_id", st.Room.ID, "error", err)
	}
}

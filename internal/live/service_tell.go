package live

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/media"
)

// alone lets one Sync at a time compare a room with the media server, and gives
// the function that lets the next one begin. What one of them found is told to
// the media server before another looks: told later, it would undo what
// happened since. Other nodes are not kept out: what they undo, a later look
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
		return nil, fmt.Errorf("wait for another look at room %s: %w", roomID, context.Cause(ctx))
	}
}

// oneAtATime is a lock that a context can end the wait for.
type oneAtATime struct {
	asked int           // how many hold it or wait for it
	free  chan struct{} // holds something while it is held
}

// tellMedia does what an outcome asks of the media server. What fails is asked
// again by the next Sync, because the difference is still there.
func (s *Service) tellMedia(ctx context.Context, st state, o outcome) {
	for _, breakoutID := range o.Close {
		s.try("close the media room", st, s.Media.CloseRoom(ctx, MediaRoom(st.Room.ID, breakoutID)))
	}
	for _, out := range o.Evict {
		if !slices.Contains(o.Close, out.BreakoutID) {
			s.try("disconnect somebody without a place", st, s.Media.Remove(ctx, MediaRoom(st.Room.ID, out.BreakoutID), out.Identity))
		}
	}
	for _, seat := range o.Mute {
		s.try("mute somebody on entry", st, s.muteOnEntry(ctx, seat, o.Tracks[seat.Identity]))
	}
	for _, seat := range o.Regard {
		s.try("change what somebody may do", st, s.Media.UpdateGrant(ctx, grantOf(st.Room, seat)))
	}
}

// muteOnEntry mutes the tracks of somebody who has come in, unless another node
// did meanwhile: by now they may have unmuted themselves.
func (s *Service) muteOnEntry(ctx context.Context, seat Seat, tracks []string) error {
	var now *Seat
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		now, err = SeatByIdentity(ctx, tx, seat.RoomID, seat.Identity)
		return err
	})
	if err != nil || now == nil || now.EntryHandled {
		return err
	}
	for _, track := range tracks {
		err = errors.Join(err, s.Media.MuteTrack(ctx, seat.MediaRoom(), seat.Identity, track, true))
	}
	if err != nil {
		return err
	}
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		now, err := SeatByIdentity(ctx, tx, seat.RoomID, seat.Identity)
		if err != nil || now == nil {
			return err
		}
		now.EntryHandled = true
		return SaveSeat(ctx, tx, *now)
	})
}

func (s *Service) try(what string, st state, err error) {
	if err != nil && !errors.Is(err, media.ErrNotFound) {
		s.Logger.Warn("the media server could not be told; it is told again soon", "what", what, "room_id", st.Room.ID, "error", err)
	}
}

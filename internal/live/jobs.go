package live

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/loop"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

const (
	// tickEvery is how often rooms where people meet are compared with the
	// media server, whatever its hints say.
	tickEvery = 2 * time.Second
	// newSeatsFor is how long Tick includes the room of a seat that was let
	// through and never seen.
	newSeatsFor = time.Minute
	// forgetEvery and forgetAfter say when seats that are over are deleted. They
	// are kept longer than the media tokens they may have been made from (ten
	// minutes), so that a removed identity is refused while its token is valid.
	forgetEvery = 10 * time.Minute
	forgetAfter = 24 * time.Hour
	// keepMeetings is how long a meeting that has ended is remembered
	// (docs/reference/retention.md): as long as the events that name it.
	keepMeetings = 30 * 24 * time.Hour
)

// queued is a room's place in the queue: one Sync runs at a time, and a request
// while it runs makes one more follow.
type queued struct {
	again bool
	since time.Time     // when the Sync that runs, or runs next, was requested first
	anew  time.Time     // when the Sync after that was requested first
	done  chan struct{} // closed when the room has left the queue
}

// Compared says how long a Sync came after the first request for it.
type Compared struct {
	After  time.Duration
	Failed bool
}

// Run keeps the meetings in step with the media server until ctx ends.
func (s *Service) Run(ctx context.Context) {
	var forgetting sync.WaitGroup
	defer forgetting.Wait()
	forgetting.Go(func() { s.keepForgetting(ctx) }) // apart, so that much to forget delays no meeting
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	s.Tick(ctx)
	for round := 0; ; {
		select {
		case <-ctx.Done():
			return
		case h := <-s.Media.Hints():
			s.HandleHint(h)
		case <-tick.C:
			round++
			s.TickShare(ctx, round)
		}
	}
}

// Ready says whether Run is at work: whether it has found lately what to compare.
func (s *Service) Ready(context.Context) error {
	last := s.ticked.Load()
	if last == 0 || s.Now().Sub(time.UnixMilli(last)) > 10*tickEvery {
		return errors.New("the running meetings are not being compared with the media server")
	}
	return nil
}

// Comparing says whether Run has found very lately what to compare. It notices sooner
// than Ready that Run stands still, because other nodes can take over the share of this
// one at no cost.
func (s *Service) Comparing() bool {
	return s.Now().Sub(time.UnixMilli(s.ticked.Load())) <= 3*tickEvery
}

// Tick requests a Sync of every room with a running meeting, of every room where
// one may start soon, and of every room where people are connected although the
// database knows of nobody.
func (s *Service) Tick(ctx context.Context) {
	s.compareSome(ctx, func(string) bool { return true })
}

// TickShare does what Tick does for the rooms that this node takes in a round, and for
// rooms of which only this node knows something.
func (s *Service) TickShare(ctx context.Context, round int) {
	told := s.toldOf()
	s.compareSome(ctx, func(roomID string) bool { return told[roomID] || s.Takes(roomID, round) })
}

// compareSome does what Tick does, with some of the rooms.
func (s *Service) compareSome(ctx context.Context, takes func(roomID string) bool) {
	s.forgetGoodbyes()
	ids, err := s.roomsToLookAt(ctx, takes)
	if err != nil {
		s.Logger.ErrorContext(ctx, "the running meetings could not be listed; trying again", "error", err)
		return
	}
	s.ticked.Store(s.Now().UnixMilli())
	for _, id := range ids {
		s.RequestSync(id)
	}
}

// toldOf returns the rooms about whose people only this node knows something: that they
// left, that they said goodbye, or since when they have been arriving.
func (s *Service) toldOf() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	rooms := map[string]bool{}
	for roomID := range s.departed {
		rooms[roomID] = true
	}
	for roomID := range s.arriving {
		rooms[roomID] = true
	}
	for mediaRoom := range s.goodbyes {
		roomID, _ := seat.SplitMediaRoom(mediaRoom)
		rooms[roomID] = true
	}
	return rooms
}

// roomsToLookAt finds the rooms that need a comparison, among those that this node takes.
// It also closes media rooms that nothing needs any more.
func (s *Service) roomsToLookAt(ctx context.Context, takes func(roomID string) bool) ([]string, error) {
	var ids []string
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		ids, err = busyRooms(ctx, tx, s.Now().Add(-newSeatsFor))
		return err
	})
	if err != nil {
		return nil, err
	}
	leave := func(roomID string) bool { return !takes(roomID) }
	ids = slices.DeleteFunc(ids, leave)
	rooms, err := s.Media.Rooms(ctx)
	if err != nil {
		// Running meetings still get a Sync, which logs that the media server does
		// not answer.
		return ids, nil //nolint:nilerr // see above
	}
	shown := breakoutsIn(rooms)
	maps.DeleteFunc(shown, func(roomID string, _ []string) bool { return leave(roomID) })
	more, strays, err := s.unexpected(ctx, ids, shown)
	s.closeStrays(ctx, strays)
	return append(ids, more...), err
}

// unexpected finds what the media server shows and the database does not expect: rooms
// besides the known ones, and media rooms of breakouts that the database no longer has.
func (s *Service) unexpected(ctx context.Context, known []string, shown map[string][]string) (rooms, strays []string, err error) {
	isKnown := map[string]bool{}
	for _, roomID := range known {
		isKnown[roomID] = true
	}
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		for roomID, breakoutIDs := range shown {
			if isKnown[roomID] && len(breakoutIDs) == 0 {
				continue
			}
			// The media server may serve other programs too. Their rooms are left
			// alone.
			if _, err := room.ByID(ctx, tx, roomID); err != nil {
				continue
			}
			if !isKnown[roomID] {
				rooms = append(rooms, roomID)
			}
			more, err := straysOf(ctx, tx, roomID, breakoutIDs)
			if err != nil {
				return err
			}
			strays = append(strays, more...)
		}
		return nil
	})
	return rooms, strays, err
}

// closeStrays closes media rooms of breakouts that the database no longer has. The gate
// let somebody through just when the breakout was forgotten, and the media room was
// made again.
func (s *Service) closeStrays(ctx context.Context, strays []string) {
	for _, name := range strays {
		if err := s.Media.CloseRoom(ctx, name); err != nil {
			s.Logger.WarnContext(ctx, "the media room of a breakout that is over could not be closed; trying again", "media_room", name, "error", err)
		}
	}
}

// breakoutsIn returns the breakouts that have media rooms, by room. A room with only its
// main media room has an empty list.
func breakoutsIn(rooms []media.Room) map[string][]string {
	by := map[string][]string{}
	for _, r := range rooms {
		roomID, breakoutID := seat.SplitMediaRoom(r.Name)
		breakouts := by[roomID]
		if breakoutID != "" {
			breakouts = append(breakouts, breakoutID)
		}
		by[roomID] = breakouts
	}
	return by
}

// straysOf returns the media rooms of breakouts that the database no longer has.
func straysOf(ctx context.Context, tx *db.Tx, roomID string, breakoutIDs []string) (names []string, err error) {
	if len(breakoutIDs) == 0 {
		return nil, nil
	}
	remembered, err := mediaroom.Breakouts(ctx, tx, roomID)
	for _, breakoutID := range breakoutIDs {
		if !slices.ContainsFunc(remembered, func(b mediaroom.Breakout) bool { return b.ID == breakoutID }) {
			names = append(names, seat.MediaRoom(roomID, breakoutID))
		}
	}
	return names, err
}

// HandleHint takes a hint of the media server.
func (s *Service) HandleHint(h media.Hint) {
	roomID, breakoutID := seat.SplitMediaRoom(h.Room)
	if h.Kind == media.HintLeft {
		s.mu.Lock()
		if s.departed == nil {
			s.departed = map[string]departures{}
		}
		if s.departed[roomID] == nil {
			s.departed[roomID] = departures{}
		}
		if s.departed[roomID][breakoutID] == nil {
			s.departed[roomID][breakoutID] = map[string]stay{}
		}
		s.departed[roomID][breakoutID][h.Identity] = stay{JoinedAt: h.JoinedAt, Goodbye: h.Deliberate}
		s.mu.Unlock()
	}
	s.RequestSync(roomID)
}

// departures are the last stays of the identities that left, by the breakout of their
// media room; "" is the main one.
type departures map[string]map[string]stay

func (s *Service) departedFrom(roomID string) departures {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := departures{}
	for breakoutID, said := range s.departed[roomID] {
		out[breakoutID] = maps.Clone(said)
	}
	return out
}

// forgetDeparted drops the hints that a Sync has acted on, and those about
// breakouts that are forgotten. A hint about a later stay, which came during the Sync,
// waits for the next one.
func (s *Service) forgetDeparted(roomID string, snap snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for breakoutID, said := range s.departed[roomID] {
		g, asked := snap[breakoutID]
		maps.DeleteFunc(said, func(identity string, last stay) bool {
			actedOn, known := g.Left[identity]
			return known && last == actedOn
		})
		if len(said) == 0 || !asked {
			delete(s.departed[roomID], breakoutID)
		}
	}
	if len(s.departed[roomID]) == 0 {
		delete(s.departed, roomID)
	}
}

// RequestSync causes a Sync of a room soon. Many requests cause few Syncs.
func (s *Service) RequestSync(roomID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.settled {
		return
	}
	if s.queue == nil {
		s.queue = map[string]*queued{}
	}
	if t := s.queue[roomID]; t != nil {
		if !t.again {
			t.again, t.anew = true, s.Now()
		}
		return
	}
	s.queue[roomID] = &queued{since: s.Now(), done: make(chan struct{})}
	go s.work(roomID)
}

// syncTimeout bounds one Sync, so that a media server that does not answer
// holds up only itself.
const syncTimeout = 10 * time.Second

func (s *Service) work(roomID string) {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), syncTimeout)
		_, _, next, err := s.Sync(ctx, roomID)
		cancel()
		if fault.HasCode(err, api.CodeNotFound) {
			s.forgetDeparted(roomID, nil) // a room of another program
		} else if err != nil {
			s.Logger.Warn("a meeting could not be compared with the media server; trying again", "room_id", roomID, "error", err)
		}
		if !next.IsZero() {
			s.Later(max(next.Sub(s.Now()), 10*time.Millisecond), func() { s.RequestSync(roomID) })
		}
		s.mu.Lock()
		t := s.queue[roomID]
		if s.OnCompared != nil {
			s.OnCompared(Compared{After: s.Now().Sub(t.since), Failed: err != nil && !fault.HasCode(err, api.CodeNotFound)})
		}
		t.since = t.anew
		if !t.again {
			delete(s.queue, roomID)
			s.mu.Unlock()
			close(t.done)
			return
		}
		t.again = false
		s.mu.Unlock()
	}
}

// Settle waits for the Syncs that are under way and starts no more. It is called
// at shutdown, before the database closes.
func (s *Service) Settle() {
	s.mu.Lock()
	s.settled = true
	s.mu.Unlock()
	s.Quiesce()
}

// Quiesce waits until no Sync is under way or requested. Syncs may be requested
// again afterwards.
func (s *Service) Quiesce() {
	for {
		t := s.anyQueued()
		if t == nil {
			return
		}
		<-t.done
	}
}

func (s *Service) anyQueued() *queued {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.queue {
		return t
	}
	return nil
}

// keepForgetting forgets what is over until ctx ends.
func (s *Service) keepForgetting(ctx context.Context) {
	loop.Later(ctx, forgetEvery, s.Forget, func(err error) {
		s.Logger.ErrorContext(ctx, "old seats and meetings could not be deleted", "error", err)
	})
}

// Forget deletes the seats that are over for good, and the meetings that ended
// thirty days ago.
func (s *Service) Forget(ctx context.Context) error {
	now := s.Now()
	for _, old := range []seat.Old{seat.LongOver(now.Add(-forgetAfter)), seat.NeverUsed(now)} {
		err := db.Sweep(ctx, s.DB,
			func(tx *db.Tx, many int) ([]seat.Key, error) { return old.Find(ctx, tx, many) },
			func(tx *db.Tx, keys []seat.Key) error { return old.Delete(ctx, tx, keys) })
		if err != nil {
			return err
		}
	}
	return db.Sweep(ctx, s.DB,
		func(tx *db.Tx, many int) ([]string, error) {
			return seat.OldMeetings(ctx, tx, now.Add(-keepMeetings), many)
		},
		func(tx *db.Tx, ids []string) error { return seat.DeleteMeetings(ctx, tx, ids) })
}

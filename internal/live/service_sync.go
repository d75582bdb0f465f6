package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// errChanged says that the room changed between the snapshot and the writing.
var errChanged = errors.New("the room changed meanwhile")

// syncAttempts bounds how often a Sync starts again because the room changed
// meanwhile. Every change causes a Sync of its own, so giving up loses nothing.
const syncAttempts = 8

// Sync makes the database agree with the media server about one room, and
// returns the state and the snapshot that agree. next is when the room needs
// another Sync without a request; zero for never.
func (s *Service) Sync(ctx context.Context, roomID string) (st state, snap snapshot, next time.Time, err error) {
	done, err := s.alone(ctx, roomID)
	if err != nil {
		return st, snap, next, err
	}
	defer done()
	for range syncAttempts {
		st, snap, next, err = s.syncOnce(ctx, roomID)
		if !errors.Is(err, errChanged) {
			return st, snap, next, err
		}
	}
	return st, snap, next, fmt.Errorf("bring room %s up to date: %w", roomID, err)
}

// syncOnce makes one attempt of Sync. It fails with errChanged when the room changed
// meanwhile.
func (s *Service) syncOnce(ctx context.Context, roomID string) (st state, snap snapshot, next time.Time, err error) {
	if st, err = s.remembered(ctx, roomID); err != nil {
		return st, snap, next, err
	}
	if snap, err = s.takeSnapshot(ctx, roomID, st.Breakouts); err != nil {
		return st, snap, next, mediaDown(err)
	}
	o, err := s.agree(ctx, st, snap)
	if errors.Is(err, errChanged) {
		s.tellEach(ctx, st, snap, o)
	}
	if err != nil {
		return st, snap, next, err
	}
	if o.writes() {
		if st, err = s.remembered(ctx, roomID); err != nil {
			return st, snap, next, err
		}
	}
	s.forgetDeparted(roomID, snap)
	s.tellMedia(ctx, st, snap, o)
	return st, snap, o.Next, nil
}

// remembered is what the database remembers of a room.
func (s *Service) remembered(ctx context.Context, roomID string) (st state, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		st, err = readState(ctx, tx, roomID, s.Now())
		return err
	})
	return st, err
}

// agree plans what a snapshot means and writes it, unless the room has changed since the
// state was read. It returns the plan in any case.
func (s *Service) agree(ctx context.Context, st state, snap snapshot) (o outcome, err error) {
	first := plan(st, snap, s.Now())
	o = first
	switch {
	case o.writes():
		err = s.DB.Write(ctx, func(tx *db.Tx) error {
			now, err := s.recheck(ctx, tx, st)
			if err != nil {
				return err
			}
			o = first
			if !now.equal(st) {
				o = plan(now, snap, s.Now())
			}
			return s.carryOut(ctx, tx, now, o)
		})
	case len(o.Close) > 0:
		err = s.DB.Read(ctx, func(tx *db.Tx) error {
			_, err := s.recheck(ctx, tx, st)
			return err
		})
	}
	return o, err
}

// recheck reads a state again, and refuses when something changed that a plan
// depends on. The state leaves out people who knock: a crowd in the line must
// not keep a Sync from noticing people who come in. A seat that the gate let
// through again is allowed too. The plan is then made again for the new state, so
// that it does not undo this, and does not count a person on the way as gone.
func (s *Service) recheck(ctx context.Context, tx *db.Tx, before state) (state, error) {
	now, err := readState(ctx, tx, before.Room.ID, s.Now())
	if err == nil && !now.equal(before.letThroughAs(now)) {
		err = errChanged
	}
	return now, err
}

// takeSnapshot asks the media server about the media rooms of one room.
func (s *Service) takeSnapshot(ctx context.Context, roomID string, breakouts []mediaroom.Breakout) (snapshot, error) {
	left := s.departedFrom(roomID)
	snap, names, arriving := snapshot{}, []string{}, map[string]time.Time{}
	for _, b := range append([]mediaroom.Breakout{{}}, breakouts...) {
		name := seat.MediaRoom(roomID, b.ID)
		snap[b.ID] = roomSnapshot{
			People: map[string]seen{}, Arriving: map[string]time.Time{}, Sessions: map[string]string{},
			Left: left[b.ID], Goodbyes: s.goodbyesTo(name),
		}
		names = append(names, name)
	}
	rooms, err := s.Media.Rooms(ctx, names...)
	if err != nil {
		return snap, err //nolint:wrapcheck // syncOnce adds what it was doing
	}
	for _, r := range rooms {
		people, err := s.Media.Participants(ctx, r.Name)
		if errors.Is(err, media.ErrNotFound) { // gone between the two questions
			continue
		}
		if err != nil {
			return snap, err //nolint:wrapcheck // as above
		}
		_, breakoutID := seat.SplitMediaRoom(r.Name)
		g := snap[breakoutID]
		g.Generation = r.Generation
		for _, p := range people {
			g.Sessions[p.Identity] = p.SessionID
			if p.Arriving {
				// The time also runs while the device publishes, so that it cannot
				// start the time again by publishing for a moment.
				arriving[p.SessionID] = s.arrivingSince(roomID, p.SessionID)
			}
			if p.Arriving && len(p.Tracks) == 0 {
				g.Arriving[p.Identity] = arriving[p.SessionID]
				continue
			}
			g.People[p.Identity] = seenOf(p)
		}
		snap[breakoutID] = g
	}
	s.noteArriving(roomID, arriving)
	return snap, nil
}

// arrivingSince returns since when this node has seen a session arrive. The media
// server knows it too, but its clock may differ. The time is as exact as in the
// database.
func (s *Service) arrivingSince(roomID, session string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if since, known := s.arriving[roomID][session]; known {
		return since
	}
	return s.Now().Truncate(time.Millisecond)
}

// noteArriving notes which sessions a snapshot showed as arriving, and since when.
func (s *Service) noteArriving(roomID string, sessions map[string]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.arriving == nil {
		s.arriving = map[string]map[string]time.Time{}
	}
	if s.arriving[roomID] = sessions; len(sessions) == 0 {
		delete(s.arriving, roomID)
	}
}

func seenOf(p media.Participant) seen {
	var ofScreen []string // the tracks of its sound that can be heard
	v := seen{Identity: p.Identity, Name: p.Name, HandRaised: p.Attributes[handRaised] == "true", Rights: rightsOf(p.Grant), Half: p.Arriving}
	for _, t := range p.Tracks {
		switch t.Source {
		case media.Microphone:
			v.Microphone = true
			if !t.Muted {
				v.Open = append(v.Open, t.ID)
			}
		case media.Camera:
			v.HasCamera = true
			if !t.Muted {
				v.Camera = append(v.Camera, t.ID)
			}
		case media.ScreenShare:
			v.ScreenOn = v.ScreenOn || !t.Muted
		case media.ScreenShareAudio:
			if !t.Muted {
				ofScreen = append(ofScreen, t.ID)
			}
		}
	}
	// The interface shows who shares a screen that has a picture. Without one, nobody
	// would see where the sound comes from, and no host could turn it off.
	if !v.ScreenOn {
		v.Open = append(v.Open, ofScreen...)
	}
	return v
}

// carryOut writes an outcome with its events.
func (s *Service) carryOut(ctx context.Context, tx *db.Tx, st state, o outcome) error {
	now := s.Now()
	if !o.writes() { // recheck may have left nothing to write
		return nil
	}
	meeting := st.Meeting
	if o.Start {
		meeting = &seat.Meeting{ID: id.New(), RoomID: st.Room.ID, WorkspaceID: st.Room.WorkspaceID, StartedAt: now}
		if err := s.start(ctx, tx, st, *meeting); err != nil {
			return err
		}
	}
	for _, held := range o.Joined {
		held.MeetingID = meeting.ID
		if err := s.join(ctx, tx, st, held, now); err != nil {
			return err
		}
	}
	if err := s.hostArrives(ctx, tx, st, meeting, o.Joined); err != nil {
		return err
	}
	for _, d := range o.Gone {
		if err := s.depart(ctx, tx, st, d, now); err != nil {
			return err
		}
	}
	for _, held := range o.Touched {
		if err := seat.Save(ctx, tx, held); err != nil {
			return err
		}
	}
	for _, d := range o.Gone { // now that every seat is written
		if err := s.onHostLost(ctx, tx, d.Seat); err != nil {
			return err
		}
	}
	for _, breakoutID := range o.Forget {
		if err := mediaroom.Forget(ctx, tx, breakoutID); err != nil {
			return err
		}
	}
	switch {
	case o.Emptied:
		if err := seat.SetEmptied(ctx, tx, meeting.ID, now); err != nil {
			return err
		}
	case o.Refilled:
		if err := seat.SetEmptied(ctx, tx, meeting.ID, time.Time{}); err != nil {
			return err
		}
	case o.Finish:
		if err := s.OnEnd(ctx, tx, st.Room); err != nil {
			return err
		}
		// Later than what ended with the meeting.
		if err := s.finish(ctx, tx, st, *meeting, reasonEmpty, s.Now()); err != nil {
			return err
		}
	}
	return s.Stream.Changed(ctx, tx, st.Room.ID)
}

// hostArrives notes the first of the room's own hosts in a meeting, and calls the
// hook that lets in the people who wait for a host.
func (s *Service) hostArrives(ctx context.Context, tx *db.Tx, st state, m *seat.Meeting, joined []seat.Seat) error {
	if m == nil || m.HostJoined || !slices.ContainsFunc(joined, seat.Seat.OwnHost) {
		return nil
	}
	if err := seat.SetHostJoined(ctx, tx, m.ID); err != nil {
		return err
	}
	return s.OnHostJoined(ctx, tx, st.Room)
}

func (s *Service) start(ctx context.Context, tx *db.Tx, st state, m seat.Meeting) error {
	if err := seat.InsertMeeting(ctx, tx, m); err != nil {
		return err
	}
	return s.Events.Append(ctx, tx, m.WorkspaceID, api.EventRoomStarted, api.SessionEvent{
		Room: st.Room.Ref(), Session: api.SessionRef{ID: m.ID, StartedAt: api.At(m.StartedAt)}, OccurredAt: api.At(m.StartedAt),
	})
}

func (s *Service) join(ctx context.Context, tx *db.Tx, st state, held seat.Seat, now time.Time) error {
	if err := seat.Save(ctx, tx, held); err != nil {
		return err
	}
	return s.Events.Append(ctx, tx, held.WorkspaceID, api.EventParticipantJoined, api.ParticipantEvent{
		Room: st.Room.Ref(), Participant: held.Ref(), OccurredAt: api.At(now),
	})
}

func (s *Service) depart(ctx context.Context, tx *db.Tx, st state, d departure, now time.Time) error {
	d.Seat.Status, d.Seat.MissingSince, d.Seat.LeftAt = d.Status, time.Time{}, now
	person := d.Seat.Ref() // before the seat loses cohost
	if d.Status != seat.Lost {
		d.Seat.SpotlitAt = time.Time{}
	}
	if d.Seat.Kind == seat.KindToken {
		d.Seat.Cohost = false // which lasts while connected
	}
	if err := seat.Save(ctx, tx, d.Seat); err != nil {
		return err
	}
	now = afterJoining(d.Seat, now)
	return s.Events.Append(ctx, tx, d.Seat.WorkspaceID, api.EventParticipantLeft, api.ParticipantEvent{
		Room: st.Room.Ref(), Participant: person, Reason: d.Reason, OccurredAt: api.At(now),
	})
}

// afterJoining returns the time to write for a person who leaves now. Another node,
// whose clock is ahead, may have written that the person joined. By their times,
// leaving must come after joining.
func afterJoining(held seat.Seat, now time.Time) time.Time {
	return latest(now, held.JoinedAt.Add(time.Millisecond))
}

// finish closes the meeting, after it was written that everybody left.
func (s *Service) finish(ctx context.Context, tx *db.Tx, st state, m seat.Meeting, reason string, now time.Time) error {
	// The clock may have been set back since the meeting began, or since somebody came in.
	last, err := seat.LastJoined(ctx, tx, m)
	if err != nil {
		return err
	}
	now = latest(now, latest(m.StartedAt, last).Add(2*time.Millisecond)) // a millisecond after the last one left (afterJoining)
	if err := seat.EndMeeting(ctx, tx, m, now, reason); err != nil {
		return err
	}
	seconds := int(now.Sub(m.StartedAt).Seconds())
	return s.Events.Append(ctx, tx, m.WorkspaceID, api.EventRoomFinished, api.SessionEvent{
		Room:       st.Room.Ref(),
		Session:    api.SessionRef{ID: m.ID, StartedAt: api.At(m.StartedAt), EndedAt: api.At(now), DurationSeconds: &seconds, Reason: reason},
		OccurredAt: api.At(now),
	})
}

package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/mediaroom"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// source is what hosts turn off for a person: their microphone or their camera.
// Only the person can turn it on again.
type source struct {
	sent func(seen) []string // the ids of its tracks that others receive
	// expected says whether a person who sends nothing may do so in a moment.
	expected func(held seat.Seat, person seen, connected bool, now time.Time) bool
	// note notes that a host turned it off. later says that the media server has to do
	// it when the person sends.
	note func(held *seat.Seat, now time.Time, later bool)

	// enters says whether the person has a track of it, on or off, which has to be checked
	// if it is their first one.
	enters func(held seat.Seat, person seen) bool
	// entersOff says whether the first track has to be off.
	entersOff func(held seat.Seat, r room.Room, now time.Time) bool
	handled   func(held *seat.Seat) *bool // whether the first track was checked
}

// microphone is the source that Mute turns off. A person who is moving, or has
// not published a microphone yet, is muted when they publish one. Our own interface
// does this itself while it is connected, because its stream says that a host muted the
// person. A microphone that they turn on after that stays on. A person who has just been
// moved is muted by the media server in any case, because their microphone follows them
// without their doing.
func microphone() source {
	return source{
		sent: func(person seen) []string { return person.Open },
		expected: func(held seat.Seat, person seen, connected bool, now time.Time) bool {
			return !connected || !person.Microphone && now.Before(held.LetThroughAt.Add(seat.ConnectGrace))
		},
		note:      func(held *seat.Seat, now time.Time, later bool) { held.MutedAt, held.MicrophoneHandled = now, !later },
		enters:    func(_ seat.Seat, person seen) bool { return person.Microphone },
		entersOff: seat.Seat.EntersMuted,
		handled:   func(held *seat.Seat) *bool { return &held.MicrophoneHandled },
	}
}

// camera is the source that StopCamera turns off. The interface of a person who is
// on their way to a media room stops the camera itself, when its stream says
// that a host stopped it.
func camera() source {
	return source{
		sent: func(person seen) []string { return person.Camera },
		expected: func(_ seat.Seat, _ seen, connected bool, _ time.Time) bool {
			return !connected
		},
		note: func(held *seat.Seat, now time.Time, later bool) {
			held.CameraStoppedAt, held.CameraHandled = now, held.CameraHandled || !later
		},
		// Our own interface needs no check, and so nothing has to be written for each camera.
		enters:    func(held seat.Seat, person seen) bool { return person.HasCamera && !held.OwnInterface },
		entersOff: func(held seat.Seat, r room.Room, _ time.Time) bool { return held.EntersCameraOff(r) },
		handled:   func(held *seat.Seat) *bool { return &held.CameraHandled },
	}
}

// Mute turns a person's microphone off. Muting a person who is muted already
// changes nothing.
func (s *Service) Mute(ctx context.Context, authorize actor.Authorize, identity string) error {
	return s.turnOffFor(ctx, authorize, identity, microphone())
}

// StopCamera turns a person's camera off. For a person whose camera is off already
// it changes nothing.
func (s *Service) StopCamera(ctx context.Context, authorize actor.Authorize, identity string) error {
	return s.turnOffFor(ctx, authorize, identity, camera())
}

func (s *Service) turnOffFor(ctx context.Context, authorize actor.Authorize, identity string, what source) error {
	var (
		by      actor.Actor
		targets []seat.Seat
	)
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		if by, err = authorize(ctx, tx, actor.Directs); err != nil {
			return err
		}
		targets, err = present(ctx, tx, by.Room.ID, identity)
		return err
	})
	if err != nil {
		return err
	}
	return s.turnOff(ctx, by.Room, targets, what)
}

// MuteAll turns off every microphone except that of the host who asks. A person who
// lost the connection a moment ago, or whose page is loading again, is muted when they
// are back.
func (s *Service) MuteAll(ctx context.Context, authorize actor.Authorize) error {
	var (
		by      actor.Actor
		targets []seat.Seat
	)
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		if by, err = authorize(ctx, tx, actor.Directs); err != nil {
			return err
		}
		people, err := seat.People(ctx, tx, by.Room.ID)
		for _, held := range people {
			asks := by.Seat != nil && seat.Person(held.Identity) == seat.Person(by.Seat.Identity)
			if !asks && held.Takes(s.Now()) {
				targets = append(targets, held)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.turnOff(ctx, by.Room, targets, microphone())
}

// turnOff makes the media server turn a source of the targets off, where others
// receive it, and tells these targets that a host did it. It also tells the targets
// who may send in a moment. If the media server fails for some of them, the others are
// told, and the failure is returned.
func (s *Service) turnOff(ctx context.Context, r room.Room, targets []seat.Seat, what source) error {
	var breakouts []mediaroom.Breakout
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		breakouts, err = mediaroom.Breakouts(ctx, tx, r.ID)
		return err
	})
	if err != nil {
		return err
	}
	snap, err := s.takeSnapshot(ctx, r.ID, breakouts)
	if err != nil {
		return mediaDown(err)
	}
	var told, later []seat.Seat
	muted := mutedTracks{}
	failures := s.muteEach(ctx, r.ID, snap, targets, what)
	for i, held := range targets {
		person, where, connected := snap.find(held)
		switch {
		case failures[i] != nil:
			err = mediaDown(failures[i])
		case len(what.sent(person)) > 0:
			told = append(told, held)
			if !held.OwnInterface { // it learns from its stream that a host muted it
				muted.add(held, seat.MediaRoom(r.ID, where), what.sent(person)...)
			}
		case !what.expected(held, person, connected, s.Now()):
		case connected && held.OwnInterface && !held.Moved(s.Now()):
			told = append(told, held)
		default:
			later = append(later, held)
		}
	}
	s.muteAgain(muted)
	if len(told)+len(later) == 0 {
		return err
	}
	return errors.Join(err, s.noteOff(ctx, r, what, told, later))
}

// muteEach mutes what the targets send, several people at once, and returns what failed
// for each of them. A track that is gone is no failure. After a failure it begins with
// nobody else, because the media server may be down.
func (s *Service) muteEach(ctx context.Context, roomID string, snap snapshot, targets []seat.Seat, what source) []error {
	failures := make([]error, len(targets))
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	severalAtOnce(len(targets), func(i int) {
		person, where, _ := snap.find(targets[i])
		if failures[i] = context.Cause(working); failures[i] != nil {
			return
		}
		for _, track := range what.sent(person) {
			err := s.Media.MuteTrack(ctx, seat.MediaRoom(roomID, where), targets[i].Identity, track, true)
			if err != nil && !errors.Is(err, media.ErrNotFound) {
				failures[i] = err
				stop(err)
				return
			}
		}
	})
	return failures
}

// noteOff notes that a host turned a source off. told are the people who only have to
// know it. The media server turns it off for the others as soon as they send.
func (s *Service) noteOff(ctx context.Context, r room.Room, what source, told, later []seat.Seat) error {
	now := s.Now()
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		for i, held := range slices.Concat(told, later) {
			current, err := seat.ByIdentity(ctx, tx, r.ID, held.Identity)
			if err != nil {
				return err
			}
			if current == nil {
				continue
			}
			what.note(current, now, i >= len(told))
			if err := seat.Save(ctx, tx, *current); err != nil {
				return err
			}
		}
		tx.AfterCommit(func() { s.RequestSync(r.ID) }) // a microphone may have been published meanwhile
		return s.Stream.Changed(ctx, tx, r.ID)
	})
}

// muteAgainAfter is when tracks are muted again that were muted as soon as the media
// server had them. LiveKit's client ignores the message until it has published the track
// on its own side. That takes two round trips more, and some seconds on a device that is
// busy. Until then it would show a microphone as on that nobody hears. If it tells the
// media server meanwhile that the track is on, the gate repeats the message, too.
func muteAgainAfter() []time.Duration {
	return []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second}
}

// mutedTracks are tracks that were muted, by media room and identity.
type mutedTracks map[string]map[string][]string

func (m mutedTracks) add(held seat.Seat, mediaRoom string, tracks ...string) {
	if m[mediaRoom] == nil {
		m[mediaRoom] = map[string][]string{}
	}
	m[mediaRoom][held.Identity] = append(m[mediaRoom][held.Identity], tracks...)
}

// muteAgain mutes these tracks again after some moments, if they are still muted then.
func (s *Service) muteAgain(muted mutedTracks) {
	if len(muted) == 0 {
		return
	}
	for _, after := range muteAgainAfter() {
		s.Later(after, func() {
			ctx, cancel := context.WithTimeout(context.Background(), syncTimeout)
			defer cancel()
			for mediaRoom, tracks := range muted {
				if err := s.muteOnce(ctx, mediaRoom, tracks); err != nil && !errors.Is(err, media.ErrNotFound) {
					s.Logger.Warn("people may not see that they were muted", "media_room", mediaRoom, "error", err)
				}
			}
		})
	}
}

// muteOnce mutes the tracks of a media room that are muted. Those that are not were
// unmuted by their people.
func (s *Service) muteOnce(ctx context.Context, mediaRoom string, tracks map[string][]string) error {
	people, err := s.Media.Participants(ctx, mediaRoom)
	if err != nil {
		return fmt.Errorf("list the tracks: %w", err)
	}
	for _, p := range people {
		for _, t := range p.Tracks {
			if t.Muted && slices.Contains(tracks[p.Identity], t.ID) {
				err = errors.Join(err, s.Media.MuteTrack(ctx, mediaRoom, p.Identity, t.ID, true))
			}
		}
	}
	return err
}

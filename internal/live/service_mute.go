package live

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// source is what hosts turn off for a person: their microphone or their camera.
// Only the person can turn it on again.
type source struct {
	sent func(seen) []string // the ids of its tracks that others receive
	// expected says whether a person who sends nothing may do so in a moment.
	expected func(held seat.Seat, person seen, connected bool, now time.Time) bool
	note     func(held *seat.Seat, now time.Time, expected bool) // notes that a host turned it off
}

// microphone is the source that Mute turns off. A person who is moving, or has
// not published a microphone yet, is muted when they publish one.
func microphone() source {
	return source{
		sent: func(person seen) []string { return person.Open },
		expected: func(held seat.Seat, person seen, connected bool, now time.Time) bool {
			return !connected || !person.Microphone && now.Before(held.LetThroughAt.Add(seat.ConnectGrace))
		},
		note: func(held *seat.Seat, now time.Time, expected bool) {
			held.MutedAt = now
			if expected {
				held.EntryHandled = false
			}
		},
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
		note: func(held *seat.Seat, now time.Time, _ bool) { held.CameraStoppedAt = now },
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

// MuteAll turns off every microphone except that of the host who asks.
func (s *Service) MuteAll(ctx context.Context, authorize actor.Authorize) error {
	var (
		by      actor.Actor
		targets []seat.Seat
	)
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		if by, err = authorize(ctx, tx, actor.Directs); err != nil {
			return err
		}
		in, err := seat.Present(ctx, tx, by.Room.ID)
		for _, held := range in {
			if by.Seat == nil || seat.Person(held.Identity) != seat.Person(by.Seat.Identity) {
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
// who may send in a moment.
func (s *Service) turnOff(ctx context.Context, r room.Room, targets []seat.Seat, what source) error {
	var breakouts []breakoutMedia
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		breakouts, err = mediaOf(ctx, tx, r.ID)
		return err
	})
	if err != nil {
		return err
	}
	snap, err := s.takeSnapshot(ctx, r.ID, breakouts)
	if err != nil {
		return mediaDown(err)
	}
	var off, expected []seat.Seat
	for _, held := range targets {
		person, where, connected := snap.find(held)
		for _, track := range what.sent(person) {
			err := s.Media.MuteTrack(ctx, seat.MediaRoom(r.ID, where), held.Identity, track, true)
			if err != nil && !errors.Is(err, media.ErrNotFound) {
				return mediaDown(err)
			}
		}
		switch {
		case len(what.sent(person)) > 0:
			off = append(off, held)
		case what.expected(held, person, connected, s.Now()):
			expected = append(expected, held)
		}
	}
	if len(off)+len(expected) == 0 {
		return nil
	}
	return s.noteOff(ctx, r, what, off, expected)
}

// noteOff notes that a host turned a source off: of people who sent it, and of
// people who are expected to.
func (s *Service) noteOff(ctx context.Context, r room.Room, what source, off, expected []seat.Seat) error {
	now := s.Now()
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		for i, held := range slices.Concat(off, expected) {
			current, err := seat.ByIdentity(ctx, tx, r.ID, held.Identity)
			if err != nil {
				return err
			}
			if current == nil {
				continue
			}
			what.note(current, now, i >= len(off))
			if err := seat.Save(ctx, tx, *current); err != nil {
				return err
			}
		}
		tx.AfterCommit(func() { s.RequestSync(r.ID) }) // a microphone may have been published meanwhile
		return s.Stream.Changed(ctx, tx, r.ID)
	})
}

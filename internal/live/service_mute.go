package live

import (
	"context"
	"errors"
	"slices"

	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Mute turns a person's microphone off. Only they can turn it on again. Muting a
// person who is muted already changes nothing.
func (s *Service) Mute(ctx context.Context, authorize actor.Authorize, identity string) error {
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
	return s.mute(ctx, by.Room, targets)
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
	return s.mute(ctx, by.Room, targets)
}

// mute makes the media server mute the targets who can be heard, and tells them
// that a host did it. It also tells the targets who may be heard in a moment.
func (s *Service) mute(ctx context.Context, r room.Room, targets []seat.Seat) error {
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
	var muted, coming []seat.Seat
	for _, held := range targets {
		person, where, connected := snap.find(held)
		for _, track := range person.Open {
			err := s.Media.MuteTrack(ctx, seat.MediaRoom(r.ID, where), held.Identity, track, true)
			if err != nil && !errors.Is(err, media.ErrNotFound) {
				return mediaDown(err)
			}
		}
		switch {
		case len(person.Open) > 0:
			muted = append(muted, held)
		case !connected, !person.Microphone && s.Now().Before(held.LetThroughAt.Add(seat.ConnectGrace)):
			coming = append(coming, held)
		}
	}
	if len(muted)+len(coming) == 0 {
		return nil
	}
	return s.noteMuted(ctx, r, muted, coming)
}

// noteMuted notes that a host muted people: some who can be heard, and some who
// are on their way to a media room, or there and have not published a microphone
// yet. This microphone is muted when it is published.
func (s *Service) noteMuted(ctx context.Context, r room.Room, muted, coming []seat.Seat) error {
	now := s.Now()
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		for i, held := range slices.Concat(muted, coming) {
			current, err := seat.ByIdentity(ctx, tx, r.ID, held.Identity)
			if err != nil {
				return err
			}
			if current == nil {
				continue
			}
			current.MutedAt = now
			if i >= len(muted) {
				current.EntryHandled = false
			}
			if err := seat.Save(ctx, tx, *current); err != nil {
				return err
			}
		}
		tx.AfterCommit(func() { s.RequestSync(r.ID) }) // a microphone may have been published meanwhile
		return s.Stream.Changed(ctx, tx, r.ID)
	})
}

package breakout

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/loop"
	"github.com/conclave-rooms/conclave/internal/room"
)

// endEvery is how often sessions are checked for their end.
const endEvery = time.Second

// forgetEvery is how often sessions that the history no longer shows are
// deleted.
const forgetEvery = time.Hour

// Run ends sessions whose time is over until ctx ends.
func (s *Service) Run(ctx context.Context) {
	var forgetting sync.WaitGroup
	defer forgetting.Wait()
	forgetting.Go(func() { s.keepForgetting(ctx) }) // apart, so that no session waits for it
	loop.Every(ctx, endEvery, s.Expire, func(err error) {
		s.Logger.ErrorContext(ctx, "breakout rooms whose time is over could not be closed; trying again", "error", err)
	})
}

// Expire ends the sessions whose time is over. Several nodes may do so at
// once: the second one finds the session closed.
func (s *Service) Expire(ctx context.Context) error {
	var rooms []string
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		rooms, err = due(ctx, tx, s.Now())
		return err
	})
	for _, roomID := range rooms {
		if failed := s.expire(ctx, roomID); failed != nil {
			err = errors.Join(err, fmt.Errorf("end the session of room %s: %w", roomID, failed))
		}
	}
	return err // a session that cannot be ended does not delay others
}

func (s *Service) expire(ctx context.Context, roomID string) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		r, err := room.ByID(ctx, tx, roomID)
		if err != nil {
			return err
		}
		session, err := running(ctx, tx, roomID)
		if err != nil || session == nil || s.Now().Before(session.deadline()) {
			return err
		}
		if err := s.close(ctx, tx, r, *session); err != nil {
			return err
		}
		return s.Stream.Changed(ctx, tx, roomID)
	})
}

// keepForgetting forgets what is over until ctx ends.
func (s *Service) keepForgetting(ctx context.Context) {
	loop.Every(ctx, forgetEvery, s.Forget, func(err error) {
		s.Logger.ErrorContext(ctx, "old sessions of breakouts could not be deleted; trying again in an hour", "error", err)
	})
}

// Forget deletes sessions that are over and not shown any more: all but the last
// ten of each room, and those of deleted rooms.
func (s *Service) Forget(ctx context.Context) error {
	return db.Sweep(ctx, s.DB,
		func(tx *db.Tx, many int) ([]string, error) { return unseen(ctx, tx, many) },
		func(tx *db.Tx, ids []string) error { return deleteSessions(ctx, tx, ids) })
}

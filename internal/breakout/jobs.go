package breakout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
)

// endEvery is how exactly the end of a session is kept.
const endEvery = time.Second

// Run ends sessions whose time is over until ctx ends.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(endEvery)
	defer tick.Stop()
	for {
		if err := s.Expire(ctx); err != nil && ctx.Err() == nil {
			s.Logger.ErrorContext(ctx, "breakout rooms whose time is over could not be closed; trying again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Expire ends the sessions whose time is over. Several nodes may do so at
// once: whoever comes second finds the session closed.
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
	return err // one that cannot be ended holds up no other
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
		return s.Live.Changed(ctx, tx, roomID)
	})
}

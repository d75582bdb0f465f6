package group

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/loop"
)

const (
	// checkEvery is how often Check looks for devices that did not arrive.
	checkEvery = 2 * time.Second
	// forgetEvery is how often Forget deletes places without seats.
	forgetEvery = time.Hour
)

// Run keeps the groups until ctx ends.
func (s *Service) Run(ctx context.Context) {
	var forgetting sync.WaitGroup
	defer forgetting.Wait()
	forgetting.Go(func() {
		loop.Every(ctx, forgetEvery, s.Forget, func(err error) {
			s.Logger.ErrorContext(ctx, "groups that nobody is in could not be deleted; trying again in an hour", "error", err)
		})
	})
	loop.Every(ctx, checkEvery, s.Check, func(err error) {
		s.Logger.ErrorContext(ctx, "devices that did not arrive may still count as members of groups; trying again", "error", err)
	})
}

// Check looks for devices that the gate let in and that did not arrive in time, and
// takes them out of their groups. When several nodes do this at the same time, the
// later ones find it done.
func (s *Service) Check(ctx context.Context) error {
	var due []string
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		due, err = dueRooms(ctx, tx, s.Now().UnixMilli())
		return err
	})
	for _, roomID := range due {
		failed := s.DB.Write(ctx, func(tx *db.Tx) error { return s.Stream.Changed(ctx, tx, roomID) })
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("check the groups of room %s: %w", roomID, failed))
		}
	}
	return err // a failure does not stop the others
}

// Forget deletes places whose seats were all deleted without a meeting.
func (s *Service) Forget(ctx context.Context) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		rooms, err := abandonedRooms(ctx, tx)
		for _, roomID := range rooms {
			err = errors.Join(err, deleteEmptyPlaces(ctx, tx, roomID))
		}
		return err
	})
}

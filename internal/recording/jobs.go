package recording

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/loop"
	"github.com/conclave-rooms/conclave/internal/seat"
)

const (
	// lookEvery is how often recordings that are not complete are looked at.
	lookEvery = time.Second
	// forgetEvery is how often rows of deleted recordings, and pieces without a
	// row, are looked for, and
	// keepDeleted how long they stay: a list can go on after one of them.
	forgetEvery = time.Hour
	keepDeleted = 30 * 24 * time.Hour
	// deleteAgain is how long a deletion that failed waits.
	deleteAgain = time.Minute
	// deletions is the lane of the jobs that delete parts.
	deletions = "deletions"
)

// Run completes recordings until ctx ends.
func (s *Service) Run(ctx context.Context) {
	loop.Every(ctx, lookEvery, s.Look, func(err error) {
		s.Logger.ErrorContext(ctx, "recordings could not be looked at; trying again", "error", err)
	})
}

// Tidy deletes what is too old, and what belongs to nothing, until ctx ends. It
// can take long where there is much, and a store may be slow.
func (s *Service) Tidy(ctx context.Context) {
	forget := func(ctx context.Context) error { return errors.Join(s.Forget(ctx), s.Sweep(ctx)) }
	loop.Every(ctx, forgetEvery, forget, func(err error) {
		s.Logger.ErrorContext(ctx, "what is left of deleted recordings could not be deleted; trying again in an hour", "error", err)
	})
}

// Look ends the recordings whose device is gone, and completes those of which
// nothing more will arrive. Several nodes may do so at once: the second one
// finds it done.
func (s *Service) Look(ctx context.Context) error {
	var due []string
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		found, err := unfinished(ctx, tx)
		for _, r := range found {
			after, lookErr := s.looked(ctx, tx, r)
			err = errors.Join(err, lookErr)
			if after.Status != r.Status {
				due = append(due, r.ID)
			}
		}
		return err
	})
	for _, recordingID := range due {
		if failed := s.lookAt(ctx, recordingID); failed != nil {
			err = errors.Join(err, fmt.Errorf("look at recording %s: %w", recordingID, failed))
		}
	}
	return err // one that cannot be completed holds up no other
}

func (s *Service) lookAt(ctx context.Context, recordingID string) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		r, err := byID(ctx, tx, recordingID)
		if err != nil || r == nil || r.Over() {
			return err
		}
		after, err := s.looked(ctx, tx, *r)
		if err != nil || after.Status == r.Status {
			return err
		}
		return s.write(ctx, tx, *r, after)
	})
}

// looked is a recording after a look at its device's seat.
func (s *Service) looked(ctx context.Context, tx *db.Tx, r Recording) (Recording, error) {
	recorder, err := seat.ByIdentity(ctx, tx, r.RoomID, r.Recorder)
	if err != nil {
		return r, err
	}
	return r.looked(recorder, s.Now()), nil
}

// Do deletes the parts of a deleted recording: the job that its deletion
// promised.
func (s *Service) Do(ctx context.Context, j job.Job) job.Result {
	if err := s.Blobs.DeleteAll(ctx, prefix(j.ID)); err != nil {
		if ctx.Err() != nil {
			return job.GiveBack()
		}
		s.Logger.WarnContext(ctx, "the parts of a deleted recording could not be deleted; trying again", "recording", j.ID, "error", err)
		return job.Again(s.Now().Add(deleteAgain), nil)
	}
	return job.Done(func(ctx context.Context, tx *db.Tx) error { return deleteParts(ctx, tx, j.ID) })
}

// Forget deletes the rows of recordings and devices that were deleted long ago.
func (s *Service) Forget(ctx context.Context) error {
	before := s.Now().Add(-keepDeleted)
	return errors.Join(
		s.DB.Sweep(ctx,
			func(tx *db.Tx, many int) ([]string, error) { return oldDeleted(ctx, tx, before, many) },
			func(tx *db.Tx, ids []string) error { return deleteRows(ctx, tx, "recording", ids) }),
		s.DB.Sweep(ctx,
			func(tx *db.Tx, many int) ([]string, error) { return oldRevoked(ctx, tx, before, many) },
			func(tx *db.Tx, ids []string) error { return deleteRows(ctx, tx, "recording_device", ids) }))
}

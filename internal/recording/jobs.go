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
	// checkEvery is how often recordings that are not complete are checked.
	checkEvery = time.Second
	// forgetEvery is how often old rows of deleted recordings, and pieces without a
	// row, are deleted.
	forgetEvery = time.Hour
	// keepDeleted is how long the row of a deleted recording stays, so that a list
	// can continue after it.
	keepDeleted = 30 * 24 * time.Hour
	// deleteAgain is the wait before a failed deletion is tried again.
	deleteAgain = time.Minute
	// deletions is the lane of the jobs that delete parts.
	deletions = "deletions"
)

// Run checks recordings every second until ctx ends.
func (s *Service) Run(ctx context.Context) {
	loop.Every(ctx, checkEvery, s.Check, func(err error) {
		s.Logger.ErrorContext(ctx, "recordings could not be checked; trying again", "error", err)
	})
}

// Tidy deletes old rows and pieces that belong to no recording, every hour, until ctx
// ends. It is apart from Run because it can take long when the store is slow.
func (s *Service) Tidy(ctx context.Context) {
	forget := func(ctx context.Context) error { return errors.Join(s.Forget(ctx), s.Sweep(ctx)) }
	loop.Every(ctx, forgetEvery, forget, func(err error) {
		s.Logger.ErrorContext(ctx, "what is left of deleted recordings could not be deleted; trying again in an hour", "error", err)
	})
}

// Check ends the recordings whose device is gone, and completes those of which no more
// parts will arrive. Several nodes may do this at the same time; the second one then
// finds it done. Before that it hears the devices whose uploads wait for the store.
func (s *Service) Check(ctx context.Context) error {
	return errors.Join(s.hearWaiting(ctx), s.checkAll(ctx))
}

func (s *Service) checkAll(ctx context.Context) error {
	var due []string
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		found, err := unfinished(ctx, tx)
		for _, r := range found {
			after, checkErr := s.checked(ctx, tx, r)
			err = errors.Join(err, checkErr)
			if after.Status != r.Status {
				due = append(due, r.ID)
			}
		}
		return err
	})
	for _, recordingID := range due {
		if failed := s.checkOne(ctx, recordingID); failed != nil {
			err = errors.Join(err, fmt.Errorf("check recording %s: %w", recordingID, failed))
		}
	}
	return err // a failure does not stop the others
}

func (s *Service) checkOne(ctx context.Context, recordingID string) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		r, err := byID(ctx, tx, recordingID)
		if err != nil || r == nil || r.Over() {
			return err
		}
		after, err := s.checked(ctx, tx, *r)
		if err != nil || after.Status == r.Status {
			return err
		}
		return s.write(ctx, tx, *r, after)
	})
}

// checked returns a recording after checking its device's seat.
func (s *Service) checked(ctx context.Context, tx *db.Tx, r Recording) (Recording, error) {
	recorder, err := seat.ByIdentity(ctx, tx, r.RoomID, r.Recorder)
	if err != nil {
		return r, err
	}
	return r.checked(recorder, s.Now()), nil
}

// Do deletes the parts of a deleted recording. It is the handler of the job that the
// deletion queued.
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
		db.Sweep(ctx, s.DB,
			func(tx *db.Tx, many int) ([]string, error) { return oldDeleted(ctx, tx, before, many) },
			func(tx *db.Tx, ids []string) error { return deleteRows(ctx, tx, "recording", ids) }),
		db.Sweep(ctx, s.DB,
			func(tx *db.Tx, many int) ([]string, error) { return oldRevoked(ctx, tx, before, many) },
			func(tx *db.Tx, ids []string) error { return deleteRows(ctx, tx, "recording_device", ids) }))
}

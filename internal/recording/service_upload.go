package recording

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

// byUpload reads a recording and checks its upload secret. The recording may be deleted.
func byUpload(ctx context.Context, tx *db.Tx, recordingID, secret string) (Recording, error) {
	r, err := byID(ctx, tx, recordingID)
	if err == nil && (r == nil || subtle.ConstantTimeCompare([]byte(r.UploadHash), []byte(id.Hash(secret))) != 1) {
		err = fault.New(fault.Unauthenticated, api.CodeUploadInvalid, "This is not the upload secret of this recording.")
	}
	if err != nil {
		return Recording{}, err
	}
	return *r, nil
}

// Upload reads the state of a recording's upload.
func (s *Service) Upload(ctx context.Context, recordingID, secret string) (r Recording, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		r, err = byUpload(ctx, tx, recordingID, secret)
		if err == nil && !r.DeletedAt.IsZero() {
			err = errOver()
		}
		return err
	})
	return r, err
}

// changeUpload changes a recording for the holder of its upload secret, and records that
// its device was heard. It does not store changes to a recording that is over.
func (s *Service) changeUpload(ctx context.Context, recordingID, secret string, change func(tx *db.Tx, r Recording) (Recording, error)) (r Recording, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		before, err := byUpload(ctx, tx, recordingID, secret)
		if err != nil {
			return err
		}
		if r = before; !r.Over() {
			r.HeardAt = s.Now()
		}
		if r, err = change(tx, r); err != nil || before.Over() {
			return err
		}
		return s.write(ctx, tx, before, r)
	})
	return r, err
}

// Alive records that the device is still there.
func (s *Service) Alive(ctx context.Context, recordingID, secret string) (Recording, error) {
	return s.changeUpload(ctx, recordingID, secret, func(_ *db.Tx, r Recording) (Recording, error) {
		if r.Over() {
			return r, errOver()
		}
		return r, nil
	})
}

// Finish ends a recording and records how many parts it has.
func (s *Service) Finish(ctx context.Context, recordingID, secret string, parts int) (Recording, error) {
	return s.changeUpload(ctx, recordingID, secret, func(_ *db.Tx, r Recording) (Recording, error) { return r.finished(parts, s.Now()) })
}

// Put stores an arriving part. When Put returns without an error, the part is durable
// and its row is committed. In p, the time and the piece are not set yet.
func (s *Service) Put(ctx context.Context, secret string, p Part, body io.Reader) (Recording, error) {
	r, known, err := s.expect(ctx, secret, p)
	if err != nil || known {
		return r, s.endIfFull(ctx, secret, p.RecordingID, err)
	}
	p.Piece = id.New()
	if err = s.store(ctx, r, p.key(), secret, body); err == nil {
		var stored bool
		if r, stored, err = s.addPart(ctx, secret, p); !stored {
			s.discard(ctx, p.RecordingID, p.key())
		}
	}
	return r, s.endIfFull(ctx, secret, p.RecordingID, err)
}

// store stores an arriving body, or leaves nothing of it. A device that is told to send
// its body again sends nothing else meanwhile, so the attempt counts as a sign that it
// is there.
func (s *Service) store(ctx context.Context, r Recording, key, secret string, body io.Reader) error {
	err := s.putHeard(ctx, r, key, secret, body)
	if err != nil && !errors.Is(err, blob.ErrNoSpaceToWait) { // the store may have it
		defer s.discard(ctx, r.ID, key)
	}
	if errors.Is(err, blob.ErrNoSpaceToWait) || errors.Is(err, blob.ErrNoAnswer) {
		if _, err := s.Alive(ctx, r.ID, secret); err != nil {
			return err
		}
	}
	switch {
	case errors.Is(err, blob.ErrNoSpaceToWait):
		return fault.Down(api.CodeServiceUnavailable, "The service has no space to take this in at the moment. Send it again.", spaceRetry, err)
	case errors.Is(err, blob.ErrFull):
		return errFull()
	}
	return noAnswer(err)
}

// spaceRetry is when a device should send a body again for which there was no space,
// and answerRetry when it should try again after the store did not answer.
const (
	spaceRetry  = 10 * time.Second
	answerRetry = 5 * time.Second
)

// noAnswer makes a refusal of an error that says that the store does not answer.
func noAnswer(err error) error {
	if errors.Is(err, blob.ErrNoAnswer) {
		return fault.Down(api.CodeServiceUnavailable, "The service's store of recordings does not answer. Try again in a few seconds.", answerRetry, err)
	}
	return err
}

// discard deletes bytes that a request stored, or may have stored, and that no row
// refers to, even if the client has disconnected. If it fails, Sweep deletes them later.
func (s *Service) discard(ctx context.Context, recordingID, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardWithin)
	defer cancel()
	if err := s.Blobs.Delete(ctx, key); err != nil {
		s.Logger.WarnContext(ctx, "a stored piece without a row could not be deleted; the sweep will delete it", "recording", recordingID, "key", key, "error", err)
	}
}

// expect checks whether a part is accepted, before its body is read.
func (s *Service) expect(ctx context.Context, secret string, p Part) (r Recording, known bool, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		if r, err = byUpload(ctx, tx, p.RecordingID, secret); err != nil {
			return err
		}
		before, err := readPart(ctx, tx, p.RecordingID, p.Number)
		if err != nil {
			return err
		}
		if known, err = r.expects(p, before); err != nil || known {
			return err
		}
		return s.checkQuota(ctx, tx, r, p.Bytes)
	})
	return r, known, err
}

// addPart adds a stored part to its recording. kept means that a row refers to the
// stored bytes, or may do so because it is unknown whether the transaction was committed.
func (s *Service) addPart(ctx context.Context, secret string, p Part) (r Recording, kept bool, err error) {
	r, err = s.changeUpload(ctx, p.RecordingID, secret, func(tx *db.Tx, r Recording) (Recording, error) {
		kept = false
		before, err := readPart(ctx, tx, p.RecordingID, p.Number)
		if err != nil {
			return r, err
		}
		known, err := r.expects(p, before)
		if err != nil || known {
			return r, err
		}
		if err := s.checkQuota(ctx, tx, r, p.Bytes); err != nil {
			return r, err
		}
		p.StoredAt = s.Now()
		if err := insertPart(ctx, tx, p); err != nil {
			return r, err
		}
		kept = true
		return r.with(p).settled(s.Now()), nil
	})
	return r, kept && (err == nil || errors.Is(err, db.ErrOutcomeUnknown)), err
}

// PutIndex stores the index of a recording. It replaces an earlier one.
func (s *Service) PutIndex(ctx context.Context, recordingID, secret string, size int64, body io.Reader) (Recording, error) {
	r, err := s.changeUpload(ctx, recordingID, secret, func(tx *db.Tx, r Recording) (Recording, error) {
		return r, s.checkIndex(ctx, tx, r, size)
	})
	if err != nil {
		return r, s.endIfFull(ctx, secret, recordingID, err)
	}
	piece := id.New()
	key := indexKey(recordingID, piece)
	if err := s.store(ctx, r, key, secret, body); err != nil {
		return r, s.endIfFull(ctx, secret, recordingID, err)
	}
	var before string
	r, err = s.changeUpload(ctx, recordingID, secret, func(tx *db.Tx, r Recording) (Recording, error) {
		// It may have been completed, or the space used up, while the index arrived.
		if err := s.checkIndex(ctx, tx, r, size); err != nil {
			return r, err
		}
		before = r.indexKey()
		r.IndexPiece, r.IndexBytes = piece, size
		return r, nil
	})
	switch {
	case err == nil && before != "":
		s.discard(ctx, recordingID, before)
	case err != nil && !errors.Is(err, db.ErrOutcomeUnknown):
		s.discard(ctx, recordingID, key)
	}
	return r, s.endIfFull(ctx, secret, recordingID, err)
}

// checkIndex refuses an index of a size that the recording does not take. It counts in
// the quotas like a part, and the index that it replaces no longer does.
func (s *Service) checkIndex(ctx context.Context, tx *db.Tx, r Recording, size int64) error {
	if r.Over() {
		return errOver()
	}
	return s.checkQuota(ctx, tx, r, size-r.IndexBytes)
}

// endIfFull completes a recording with its stored parts if refusal says that there is no
// space for more. It returns refusal. On a full disk the database may fail too; then the
// recording ends later, because its device is silent.
func (s *Service) endIfFull(ctx context.Context, secret, recordingID string, refusal error) error {
	if !fault.HasCode(refusal, api.CodeLimitReached) && !fault.HasCode(refusal, api.CodeStorageFull) {
		return refusal
	}
	_, err := s.changeUpload(ctx, recordingID, secret, func(_ *db.Tx, r Recording) (Recording, error) {
		if r.Over() {
			return r, nil
		}
		return r.complete(s.Now()), nil
	})
	if err != nil {
		s.Logger.WarnContext(ctx, "a recording without space for more could not be ended; trying again", "recording", recordingID, "error", err)
	}
	return refusal
}

func errFull() error {
	return fault.New(fault.StorageFull, api.CodeStorageFull, "The service has no room for more of this recording. What is stored of it becomes ready.")
}

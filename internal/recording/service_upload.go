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

// hearEvery is how often it is noted that a device sends a part that takes its
// time.
const hearEvery = 15 * time.Second

// byUpload finds the recording of an upload secret, deleted or not.
func byUpload(ctx context.Context, tx *db.Tx, recordingID, secret string) (Recording, error) {
	r, err := byID(ctx, tx, recordingID)
	if err == nil && (r == nil || subtle.ConstantTimeCompare([]byte(r.UploadHash), []byte(hashOf(secret))) != 1) {
		err = fault.New(fault.Unauthenticated, api.CodeUploadInvalid, "This is not the upload secret of this recording.")
	}
	if err != nil {
		return Recording{}, err
	}
	return *r, nil
}

// Upload says how far the upload of a recording is.
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

// hear changes the recording of an upload secret, whose device was heard of
// now. What is over stays as it was.
func (s *Service) hear(ctx context.Context, recordingID, secret string, change func(tx *db.Tx, r Recording) (Recording, error)) (r Recording, err error) {
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

// Alive notes that the device is there.
func (s *Service) Alive(ctx context.Context, recordingID, secret string) (Recording, error) {
	return s.hear(ctx, recordingID, secret, func(_ *db.Tx, r Recording) (Recording, error) {
		if r.Over() {
			return r, errOver()
		}
		return r, nil
	})
}

// Finish notes how many parts there are. It ends the recording.
func (s *Service) Finish(ctx context.Context, recordingID, secret string, parts int) (Recording, error) {
	return s.hear(ctx, recordingID, secret, func(_ *db.Tx, r Recording) (Recording, error) { return r.finished(parts, s.Now()) })
}

// Put stores a part that arrives. It is acknowledged once it is durable and its
// row is committed. p says all of it but its time and the name of what is
// stored.
func (s *Service) Put(ctx context.Context, secret string, p Part, body io.Reader) (Recording, error) {
	r, known, err := s.expect(ctx, secret, p)
	if err != nil || known {
		return r, s.unlessFull(ctx, secret, p.RecordingID, err)
	}
	p.Piece = id.New()
	err = s.store(ctx, p.RecordingID, p.key(), secret, body)
	stored := false
	if err == nil {
		r, stored, err = s.keep(ctx, secret, p)
	}
	if !stored {
		s.discard(ctx, p.RecordingID, p.key())
	}
	return r, s.unlessFull(ctx, secret, p.RecordingID, err)
}

// store stores a body that arrives.
func (s *Service) store(ctx context.Context, recordingID, key, secret string, body io.Reader) error {
	_, err := s.Blobs.Put(ctx, key, s.listen(ctx, recordingID, secret, body))
	if errors.Is(err, blob.ErrFull) {
		err = errFull()
	}
	return err
}

// discardWithin is how long the deletion of what nobody needs may take.
const discardWithin = 30 * time.Second

// discard deletes what a request stored, or may have stored, and to which no
// row points. That holds too when the client has hung up. When it fails, the
// sweep of the store finds the piece.
func (s *Service) discard(ctx context.Context, recordingID, key string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardWithin)
	defer cancel()
	if err := s.Blobs.Delete(ctx, key); err != nil {
		s.Logger.WarnContext(ctx, "what belongs to no recording could not be deleted; the sweep will", "recording", recordingID, "key", key, "error", err)
	}
}

// expect decides about a part before its body is read.
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
		return s.hasRoomFor(ctx, tx, r, p.Bytes)
	})
	return r, known, err
}

// keep adds a part that is stored to its recording. kept says that its row
// points to what is stored, or may do so: the database did not say whether it
// made the change.
func (s *Service) keep(ctx context.Context, secret string, p Part) (r Recording, kept bool, err error) {
	r, err = s.hear(ctx, p.RecordingID, secret, func(tx *db.Tx, r Recording) (Recording, error) {
		kept = false
		before, err := readPart(ctx, tx, p.RecordingID, p.Number)
		if err != nil {
			return r, err
		}
		known, err := r.expects(p, before)
		if err != nil || known {
			return r, err
		}
		if err := s.hasRoomFor(ctx, tx, r, p.Bytes); err != nil {
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

// PutIndex stores the index of a recording, in place of an earlier one.
func (s *Service) PutIndex(ctx context.Context, recordingID, secret string, body io.Reader) (Recording, error) {
	r, err := s.Alive(ctx, recordingID, secret)
	if err != nil {
		return r, err
	}
	piece := id.New()
	key := indexKey(recordingID, piece)
	if err := s.store(ctx, recordingID, key, secret, body); err != nil {
		s.discard(ctx, recordingID, key)
		return r, s.unlessFull(ctx, secret, recordingID, err)
	}
	var before string
	r, err = s.hear(ctx, recordingID, secret, func(_ *db.Tx, r Recording) (Recording, error) {
		if r.Over() {
			return r, errOver() // it came to its end while the index arrived
		}
		before = r.indexKey()
		r.IndexPiece = piece
		return r, nil
	})
	switch {
	case err == nil && before != "":
		s.discard(ctx, recordingID, before)
	case err != nil && !errors.Is(err, db.ErrOutcomeUnknown):
		s.discard(ctx, recordingID, key)
	}
	return r, err
}

// unlessFull ends a recording for which there is no room any more: what is
// stored of it is all of it. It gives the refusal back. On a full disk the
// database may fail too; then the recording ends later, because its device is
// silent.
func (s *Service) unlessFull(ctx context.Context, secret, recordingID string, refusal error) error {
	if !fault.HasCode(refusal, api.CodeLimitReached) && !fault.HasCode(refusal, api.CodeStorageFull) {
		return refusal
	}
	_, err := s.hear(ctx, recordingID, secret, func(_ *db.Tx, r Recording) (Recording, error) {
		if r.Over() {
			return r, nil
		}
		return r.complete(s.Now()), nil
	})
	if err != nil {
		s.Logger.WarnContext(ctx, "a recording for which there is no room could not be ended; trying again", "recording", recordingID, "error", err)
	}
	return refusal
}

func errFull() error {
	return fault.New(fault.StorageFull, api.CodeStorageFull, "The service has no room for more of this recording. What is stored of it becomes ready.")
}

// listen reads a body, and notes now and then that its device is there.
func (s *Service) listen(ctx context.Context, recordingID, secret string, body io.Reader) io.Reader {
	heard := s.Now()
	return readFunc(func(p []byte) (int, error) {
		if now := s.Now(); !now.Before(heard.Add(hearEvery)) {
			heard = now
			if _, err := s.Alive(ctx, recordingID, secret); err != nil {
				return 0, err
			}
		}
		return body.Read(p)
	})
}

// readFunc is a function that reads.
type readFunc func(p []byte) (int, error)

// Read reads on.
func (f readFunc) Read(p []byte) (int, error) { return f(p) }

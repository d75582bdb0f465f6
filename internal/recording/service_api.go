package recording

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// List reads a page of the recordings that a principal may see, newest first.
func (s *Service) List(ctx context.Context, p auth.Principal, roomID string, limit int, startingAfter string) (found []Recording, more bool, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		if startingAfter != "" {
			there, err := hasPlace(ctx, tx, p.WorkspaceID, startingAfter)
			if err == nil && !there {
				err = fault.BadParameter("starting_after", "starting_after must be the id of a recording of this workspace.")
			}
			if err != nil {
				return err
			}
		}
		found, err = list(ctx, tx, p, page{roomID: roomID, after: startingAfter, limit: limit + 1})
		return err
	})
	if len(found) > limit {
		return found[:limit], true, err
	}
	return found, false, err
}

// Get reads a recording.
func (s *Service) Get(ctx context.Context, p auth.Principal, recordingID string) (r Recording, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		r, err = Find(ctx, tx, p, recordingID)
		return err
	})
	return r, err
}

// WorkspaceOf returns the workspace of a recording. It is for operators, who may see all
// recordings.
func (s *Service) WorkspaceOf(ctx context.Context, recordingID string) (workspaceID string, err error) {
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		r, err := byID(ctx, tx, recordingID)
		if err == nil && (r == nil || !r.DeletedAt.IsZero()) {
			err = fault.Missing()
		}
		if err != nil {
			return err
		}
		workspaceID = r.WorkspaceID
		return nil
	})
	return workspaceID, err
}

// Download returns the key and the parts for rebuilding the file of a recording.
func (s *Service) Download(ctx context.Context, p auth.Principal, recordingID string) (api.RecordingDownload, error) {
	r, err := s.Get(ctx, p, recordingID)
	if err == nil {
		err = r.opened()
	}
	if err != nil {
		return api.RecordingDownload{}, err
	}
	key, err := s.Sealer.Open(r.SealedKey, keyBinding(r.ID))
	if err != nil {
		return api.RecordingDownload{}, err
	}
	d := api.RecordingDownload{
		Object: "recording.download", ID: r.ID, MIMEType: r.MIMEType, Bytes: r.Bytes,
		Encryption: api.RecordingEncryption{Algorithm: "AES-256-GCM", Key: base64.RawURLEncoding.EncodeToString(key), KeyEncoding: "base64url", IVBytes: 12},
		Parts:      make([]api.RecordingPart, r.Parts),
	}
	for n := range d.Parts {
		d.Parts[n] = api.RecordingPart{Index: n, URL: fmt.Sprintf("%s/api/v1/recordings/%s/parts/%d", s.PublicURL, r.ID, n)}
	}
	return d, nil
}

// opened refuses a recording that the service cannot open, or cannot open yet.
func (r Recording) opened() error {
	switch {
	case r.Protection == EndToEnd:
		return fault.Conflicting(api.CodeRecordingEndToEnd, "This recording is end-to-end encrypted for members: only their devices can open it.")
	case r.Status == Failed:
		return fault.Conflicting(api.CodeRecordingNotReady, "Nothing of this recording ever arrived.")
	case r.Status != Ready:
		return fault.Conflicting(api.CodeRecordingNotReady, "This recording is not complete yet. recording.ready will say when it is.")
	}
	return nil
}

// OpenPart opens a stored part of a recording for a principal who may see the recording.
// may can refuse it; a part that does not exist is refused before.
func (s *Service) OpenPart(ctx context.Context, p auth.Principal, recordingID, index string, may func(Recording) error) (*blob.Reader, Part, error) {
	var part *Part
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		r, err := Find(ctx, tx, p, recordingID)
		if err != nil {
			return err
		}
		n, err := number(index)
		if err != nil {
			return err
		}
		if part, err = readPart(ctx, tx, r.ID, n); err != nil {
			return err
		}
		if part == nil {
			return fault.Missing()
		}
		return may(r)
	})
	if err != nil {
		return nil, Part{}, err
	}
	content, err := s.Blobs.Get(ctx, part.key())
	if errors.Is(err, blob.ErrNotFound) {
		// The part was deleted since its row was read, or it was lost.
		s.Logger.ErrorContext(ctx, "a part of a recording is not in the store", "recording", recordingID, "part", part.Number)
		err = fault.Missing()
	}
	return content, *part, noAnswer(err)
}

// Update changes a recording for a principal who manages it.
func (s *Service) Update(ctx context.Context, p auth.Principal, recordingID string, u api.RecordingUpdate) (r Recording, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		before, err := s.findManaged(ctx, tx, p, recordingID)
		if err != nil {
			return err
		}
		r = before
		r.Title, r.Visibility = u.Title.Or(r.Title), u.Visibility.Or(r.Visibility)
		return s.write(ctx, tx, before, r)
	})
	return r, err
}

// Delete deletes a recording and its key at once. A job deletes its parts.
func (s *Service) Delete(ctx context.Context, p auth.Principal, recordingID string) (r Recording, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		if r, err = s.findManaged(ctx, tx, p, recordingID); err != nil {
			return err
		}
		if err := markDeleted(ctx, tx, r.ID, s.Now()); err != nil {
			return err
		}
		if err := s.Jobs.Add(ctx, tx, r.ID, deletions, s.Now()); err != nil {
			return err
		}
		if r.Status != Running {
			return nil
		}
		return s.Stream.Changed(ctx, tx, r.RoomID)
	})
	return r, err
}

// findManaged reads a recording and refuses a principal who does not manage it.
func (s *Service) findManaged(ctx context.Context, tx *db.Tx, p auth.Principal, recordingID string) (Recording, error) {
	r, err := Find(ctx, tx, p, recordingID)
	if err == nil && !r.managedBy(p) {
		err = fault.New(fault.Forbidden, api.CodeRecordingNotManaged,
			"You did not make this recording. The person who made it can change it, and so can owners and admins of the workspace.")
	}
	return r, err
}

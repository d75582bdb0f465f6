package recording

import (
	"context"
	"errors"

	"github.com/conclave-rooms/conclave/internal/db"
)

// piecesAtOnce is how many pieces are looked up in the database with one query.
const piecesAtOnce = 500

// Sweep deletes orphans from the store: pieces from a process that was killed while it
// stored a part, and parts that arrived while their recording was deleted. It keeps
// pieces of recordings that the database does not know, and logs a warning: another
// service may use the same store, or the database may be an old copy.
func (s *Service) Sweep(ctx context.Context) error {
	before := s.Now().Add(-orphanedFor)
	var pieces []piece // of one recording, because keys are listed in order
	unknown := 0
	look := func() error {
		known, err := s.sweep(ctx, pieces)
		if !known {
			unknown += len(pieces)
		}
		pieces = nil
		return err
	}
	for object, err := range s.Blobs.List(ctx, "") {
		if err != nil {
			return err
		}
		p, ours := pieceOf(object.Key)
		if !ours || !object.ModTime.Before(before) {
			continue
		}
		if len(pieces) == piecesAtOnce || len(pieces) > 0 && pieces[0].recordingID != p.recordingID {
			if err := look(); err != nil {
				return err
			}
		}
		pieces = append(pieces, p)
	}
	if err := look(); err != nil {
		return err
	}
	if unknown > 0 {
		s.Logger.WarnContext(ctx, "the store has pieces of recordings that the database does not know; they stay", "pieces", unknown)
	}
	return nil
}

// sweep deletes the orphans among some pieces of one recording. It returns whether the
// database knows the recording.
func (s *Service) sweep(ctx context.Context, pieces []piece) (known bool, err error) {
	if len(pieces) == 0 {
		return true, nil
	}
	var keys []string
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		r, err := byID(ctx, tx, pieces[0].recordingID)
		if err != nil || r == nil {
			return err
		}
		known = true
		stored, err := keysOf(ctx, tx, r.ID, pieces)
		keys = r.orphans(pieces, stored)
		return err
	})
	for _, key := range keys {
		err = errors.Join(err, s.Blobs.Delete(ctx, key))
	}
	if len(keys) > 0 {
		s.Logger.InfoContext(ctx, "deleted stored pieces that belonged to no part of a recording", "recording", pieces[0].recordingID, "pieces", len(keys))
	}
	return known, err
}

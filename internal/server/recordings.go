package server

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/recording"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// deletionSlots is how many deleted recordings lose their parts at the same
// time.
const deletionSlots = 2

// blobsAnswerWithin is how long a start waits for the store of recordings.
const blobsAnswerWithin = 5 * time.Second

// openBlobs opens the store of the parts of recordings.
func (s *Server) openBlobs(ctx context.Context) (err error) {
	if s.blobs, err = OpenRecordingParts(ctx, s.config.Data, s.config.BlobURL); err != nil {
		return err
	}
	s.closers = append(s.closers, s.blobs.Close)
	asking, cancel := context.WithTimeout(ctx, blobsAnswerWithin)
	defer cancel()
	if err := s.blobs.Ready(asking); err != nil {
		// Meetings do not need the store: they work without recordings.
		s.log.ErrorContext(ctx, "the store of recordings does not answer; nothing can be recorded until it does", "error", err)
	}
	return nil
}

// OpenRecordingParts opens the store of the parts of recordings: a bucket, if
// blobURL names one, or a directory beside the database.
func OpenRecordingParts(ctx context.Context, data config.Data, blobURL string) (*blob.Store, error) {
	store, err := blob.Open(ctx, blob.Config{URL: blobURL, Dir: filepath.Join(data.Data, "recordings")})
	if err != nil {
		return nil, fmt.Errorf("open the store of recordings: %w", err)
	}
	return store, nil
}

// ListRecordings makes a service with which a command can list recordings. A
// command that also reads them adds the sealer and the parts.
func ListRecordings(d *db.DB, now func() time.Time, log *slog.Logger, publicURL string) *recording.Service {
	return &recording.Service{
		DB: d, Now: now, Logger: log, PublicURL: publicURL,
		Events: nil, Stream: nil, Identity: nil, Sealer: nil, Blobs: nil, Jobs: nil, MaxBytes: 0, MaxWorkspaceBytes: 0,
	}
}

// wireRecordings builds the part that keeps recordings.
func (s *Server) wireRecordings(sealer *seal.Sealer, o Options) {
	s.Recordings = &recording.Service{
		DB: s.db, Events: s.Events, Stream: s.Stream, Identity: s.Identity, Sealer: sealer, Blobs: s.blobs, Now: o.Now, Logger: s.log, PublicURL: s.config.PublicURL,
		MaxBytes: s.config.RecordingMaxBytes, MaxWorkspaceBytes: s.config.WorkspaceRecordingsMaxBytes,
		Jobs: job.New(job.Config{
			Name: "recording", Slots: deletionSlots, DB: s.db, Now: o.Now, Logger: s.log, Draining: s.drained,
			Handle: func(ctx context.Context, j job.Job) job.Result { return s.Recordings.Do(ctx, j) },
		}),
	}
}

package recording

import (
	"context"
	"log/slog"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seal"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// Service receives, stores and hands out recordings.
type Service struct {
	DB        *db.DB
	Events    *event.Log
	Stream    *stream.Service
	Identity  *identity.Service
	Sealer    *seal.Sealer
	Blobs     *blob.Store
	Jobs      *job.Queue // calls Do, which deletes parts
	Now       func() time.Time
	Logger    *slog.Logger
	PublicURL string

	MaxBytes          int64 // limit for one recording; zero: no limit
	MaxWorkspaceBytes int64 // limit for all recordings of a workspace; zero: no limit

	arrived arrivals // the uploads of this node that wait for the store
}

// Request is a device's request to begin a recording.
type Request struct {
	MIMEType string
	Key      string // base64url; empty with protection end_to_end
}

// Start begins a recording on the device of one of the room's own hosts, in the media
// room where the device is. It returns the secret with which the device sends parts.
func (s *Service) Start(ctx context.Context, ticket string, q Request) (r Recording, secret string, err error) {
	secret = id.Secret()
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		by, err := actor.ByHost(ticket, s.Now)(ctx, tx, actor.Owns)
		if err != nil {
			return err
		}
		if r, err = s.newRecording(by, q, secret); err != nil {
			return err
		}
		if err := openable(ctx, tx, r); err != nil {
			return err
		}
		if err := s.takeOver(ctx, tx, by); err != nil {
			return err
		}
		if err := s.checkQuota(ctx, tx, r, MinPart); err != nil { // there must be space for at least one part
			return err
		}
		if err := insert(ctx, tx, r); err != nil {
			return err
		}
		return s.Stream.Changed(ctx, tx, r.RoomID)
	})
	return r, secret, err
}

// newRecording makes the recording that a host begins.
func (s *Service) newRecording(by actor.Actor, q Request, secret string) (Recording, error) {
	held, now := by.Seat, api.At(s.Now()).Time
	r := Recording{
		ID: id.New(), WorkspaceID: by.Room.WorkspaceID, RoomID: by.Room.ID, BreakoutID: held.BreakoutID, MeetingID: held.MeetingID,
		Title: by.Room.Name, Status: Running, Visibility: SeenInRoom, Protection: by.Room.Settings.Recordings, MIMEType: q.MIMEType,
		UploadHash: id.Hash(secret), Recorder: held.Identity, RecorderName: held.Name, MadeBy: held.Account(), StartedAt: now, HeardAt: now,
	}
	key, err := checkKey(r.Protection, q.Key)
	if err != nil || key == nil {
		return r, err
	}
	r.SealedKey, err = s.Sealer.Seal(key, keyBinding(r.ID))
	return r, err
}

// takeOver ends the recording that runs in the host's media room, if there is one. It
// refuses when the host may not take over.
func (s *Service) takeOver(ctx context.Context, tx *db.Tx, by actor.Actor) error {
	others, err := running(ctx, tx, by.Room.ID)
	if err != nil {
		return err
	}
	for _, other := range others {
		if other.BreakoutID != by.Seat.BreakoutID {
			continue
		}
		recorder, err := seat.ByIdentity(ctx, tx, by.Room.ID, other.Recorder)
		if err != nil {
			return err
		}
		if !other.mayTakeOver(*by.Seat, recorder, s.Now()) {
			return fault.Conflicting(api.CodeRecordingRunning, other.RecorderName+" is recording already.")
		}
		if err := s.write(ctx, tx, other, other.ended(s.Now())); err != nil {
			return err
		}
	}
	return nil
}

// checkQuota refuses more bytes than the quotas allow.
func (s *Service) checkQuota(ctx context.Context, tx *db.Tx, r Recording, more int64) error {
	q := quota{recording: s.MaxBytes, workspace: s.MaxWorkspaceBytes}
	inWorkspace := int64(0)
	if q.workspace > 0 {
		var err error
		if inWorkspace, err = storedIn(ctx, tx, r.WorkspaceID); err != nil {
			return err
		}
	}
	return q.allows(r, inWorkspace, more)
}

// Stop ends a recording on behalf of one of the room's own hosts.
func (s *Service) Stop(ctx context.Context, ticket, recordingID string) (r Recording, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		by, err := actor.ByHost(ticket, s.Now)(ctx, tx, actor.Owns)
		if err != nil {
			return err
		}
		found, err := byID(ctx, tx, recordingID)
		if err != nil {
			return err
		}
		if found == nil || found.RoomID != by.Room.ID || !found.DeletedAt.IsZero() {
			return fault.Missing()
		}
		r = found.ended(s.Now())
		return s.write(ctx, tx, *found, r)
	})
	return r, err
}

// Renamed changes the name of a person who records.
func (s *Service) Renamed(ctx context.Context, tx *db.Tx, held seat.Seat) error {
	return renameRecorder(ctx, tx, held.RoomID, held.Identity, held.Name)
}

// MeetingEnds ends the recordings of a meeting that ends. Parts may still arrive.
func (s *Service) MeetingEnds(ctx context.Context, tx *db.Tx, r room.Room) error {
	found, err := running(ctx, tx, r.ID)
	if err != nil {
		return err
	}
	for _, one := range found {
		if err := s.write(ctx, tx, one, one.ended(s.Now())); err != nil {
			return err
		}
	}
	return nil
}

// write stores a changed recording. When it ends, it updates the people in the meeting;
// when it is ready, it sends an event to customers' servers.
func (s *Service) write(ctx context.Context, tx *db.Tx, before, after Recording) error {
	if err := save(ctx, tx, after); err != nil {
		return err
	}
	if before.Status == Running && after.Status != Running {
		if err := s.Stream.Changed(ctx, tx, after.RoomID); err != nil {
			return err
		}
	}
	if after.Status != Ready || before.Status == Ready {
		return nil
	}
	r, err := room.ByID(ctx, tx, after.RoomID)
	if err != nil {
		return err
	}
	return s.Events.Append(ctx, tx, after.WorkspaceID, api.EventRecordingReady, api.RecordingEvent{
		Room: r.Ref(), Recording: after.Object(), OccurredAt: api.At(s.Now()),
	})
}

// keyBinding names the place of a recording's key, for its seal.
func keyBinding(recordingID string) string { return "recording/key/" + recordingID }

package recording

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// Service takes, keeps and hands out recordings.
type Service struct {
	DB        *db.DB
	Events    *event.Log
	Stream    *stream.Service
	Identity  *identity.Service
	Sealer    *seal.Sealer
	Blobs     *blob.Store
	Jobs      *job.Queue // deletes parts: Do
	Now       func() time.Time
	Logger    *slog.Logger
	PublicURL string

	MaxBytes          int64 // of one recording; zero: no limit
	MaxWorkspaceBytes int64 // of all recordings of a workspace; zero: no limit
}

// Request is what a device asks to begin a recording with.
type Request struct {
	MIMEType string
	Key      string // base64url; empty with protection end_to_end
}

// Start begins a recording on the device of one of the room's own hosts, in the
// media room where it is. It gives the secret with which the device sends parts.
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
		if err := s.makePlace(ctx, tx, by); err != nil {
			return err
		}
		if err := s.hasRoomFor(ctx, tx, r, 0); err != nil {
			return err
		}
		if err := insert(ctx, tx, r); err != nil {
			return err
		}
		return s.Stream.Changed(ctx, tx, r.RoomID)
	})
	return r, secret, err
}

// newRecording makes the recording that a host in the by begins.
func (s *Service) newRecording(by actor.Actor, q Request, secret string) (Recording, error) {
	held, now := by.Seat, api.At(s.Now()).Time
	r := Recording{
		ID: id.New(), WorkspaceID: by.Room.WorkspaceID, RoomID: by.Room.ID, BreakoutID: held.BreakoutID, MeetingID: held.MeetingID,
		Title: by.Room.Name, Status: Running, Visibility: SeenInRoom, Protection: by.Room.Settings.Recordings, MIMEType: q.MIMEType,
		UploadHash: hashOf(secret), Recorder: held.Identity, RecorderName: held.Name, MadeBy: held.Account(), StartedAt: now, HeardAt: now,
	}
	key, err := checkKey(r.Protection, q.Key)
	if err != nil || key == nil {
		return r, err
	}
	r.SealedKey, err = s.Sealer.Seal(key, keyPlace(r.ID))
	return r, err
}

// makePlace ends the recording that runs where somebody wants to begin one,
// when they may take over.
func (s *Service) makePlace(ctx context.Context, tx *db.Tx, by actor.Actor) error {
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

// hasRoomFor refuses what is beyond a quota.
func (s *Service) hasRoomFor(ctx context.Context, tx *db.Tx, r Recording, more int64) error {
	q := quota{recording: s.MaxBytes, workspace: s.MaxWorkspaceBytes}
	inWorkspace := int64(0)
	if q.workspace > 0 {
		var err error
		if inWorkspace, err = storedIn(ctx, tx, r.WorkspaceID); err != nil {
			return err
		}
		if more == 0 {
			more = MinPart // a recording without a single part is none
		}
	}
	return q.allows(r, inWorkspace, more)
}

// Stop ends a recording of the room for one of the room's own hosts.
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

// MeetingEnds is the reaction to the end of a meeting: what records it stops.
// Parts may still arrive.
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

// write writes what became of a recording. People in the meeting see when it
// ends, and customers' servers hear when it is ready.
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

// hashOf is how an upload secret is stored.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// keyPlace names where the key of a recording is kept, for its seal.
func keyPlace(recordingID string) string { return "recording/key/" + recordingID }

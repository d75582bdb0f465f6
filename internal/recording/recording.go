package recording

import (
	"encoding/base64"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Values of a recording's fields, as the API writes them.
const (
	Running    = "recording"
	Processing = "processing"
	Ready      = "ready"
	Failed     = "failed"

	SeenInRoom      = "room"
	SeenInWorkspace = "workspace"
	SeenPrivately   = "private"

	Workspace = "workspace"
	EndToEnd  = "end_to_end"
)

// Recording is a recording of a meeting by a device.
type Recording struct {
	ID           string
	WorkspaceID  string
	RoomID       string
	BreakoutID   string // "": the main room
	MeetingID    string
	Title        string
	Status       string
	Visibility   string
	Protection   string
	MIMEType     string
	Parts        int
	Bytes        int64
	Duration     time.Duration // where the last stored part ends
	Expected     *int          // number of parts, once the device has given it
	SealedKey    string        // only with protection workspace; "" once deleted
	UploadHash   string
	Recorder     string // identity of the device that records
	RecorderName string
	MadeBy       string // the account; "" for a host without one
	StartedAt    time.Time
	EndedAt      time.Time // zero while the device records
	NoticedAt    time.Time // when the service noticed the end, at or after EndedAt
	HeardAt      time.Time // when the device last sent something
	IndexPiece   string    // names the stored index, as Part.Piece does a part; "" while there is none
	IndexBytes   int64     // of the stored index, or what was here when a node that stores no sizes stored it
	DeletedAt    time.Time // zero unless it was deleted
}

// Object returns the recording as the API shows it.
func (r Recording) Object() api.Recording {
	return api.Recording{
		Object: "recording", ID: r.ID, RoomID: r.RoomID, Title: r.Title, Status: r.Status, Visibility: r.Visibility, MIMEType: r.MIMEType,
		Parts: r.Parts, Bytes: r.Bytes, DurationMS: r.Duration.Milliseconds(), StartedAt: api.At(r.StartedAt), EndedAt: api.TimeOrNull(r.EndedAt),
	}
}

// indexKey returns the key of the recording's stored index; "" while it has none.
func (r Recording) indexKey() string {
	if r.IndexPiece == "" {
		return ""
	}
	return indexKey(r.ID, r.IndexPiece)
}

// shownTo returns the recording as the API shows it to a principal.
func (r Recording) shownTo(p auth.Principal) api.Recording {
	o := r.Object()
	if p.Session {
		managed := r.managedBy(p)
		o.Managed = &managed
	}
	return o
}

// Over reports whether the recording accepts no more parts.
func (r Recording) Over() bool {
	return r.Status == Ready || r.Status == Failed || !r.DeletedAt.IsZero()
}

// SeenBy reports whether a principal may see the recording. API keys see all recordings
// of their workspace. All members of a workspace may enter its rooms, so all of them see
// a recording with visibility room.
func (r Recording) SeenBy(p auth.Principal) bool {
	return r.WorkspaceID == p.WorkspaceID && (r.Visibility != SeenPrivately || r.managedBy(p))
}

// managedBy reports whether a principal may change and delete the recording. A recording
// of a host without an account belongs to no principal.
func (r Recording) managedBy(p auth.Principal) bool {
	return p.MayChange(r.MadeBy) && (!p.Session || p.ManagesAll || r.MadeBy != "")
}

// ended returns the recording after it has ended now. Parts may still arrive.
func (r Recording) ended(now time.Time) Recording {
	if r.Status == Running {
		r.Status, r.EndedAt, r.NoticedAt = Processing, now, now
	}
	return r
}

// fallenSilent returns the recording after its device was silent for too long. It ends
// at the device's last request. The device may have continued to record, so more parts
// may still arrive.
func (r Recording) fallenSilent(now time.Time) Recording {
	heard := r.HeardAt
	r = r.ended(now)
	r.EndedAt = heard
	return r
}

// complete returns the recording after it has ended with the stored parts as its only
// parts.
func (r Recording) complete(at time.Time) Recording {
	r = r.ended(at)
	parts := r.Parts
	r.Expected = &parts
	return r.settled(at)
}

// settled returns the recording as ready or failed if no more parts will arrive: because
// all announced parts are stored, the device has been silent for too long, or it has
// taken too long altogether.
func (r Recording) settled(now time.Time) Recording {
	if r.Status != Processing {
		return r
	}
	heard := r.HeardAt
	if r.NoticedAt.After(heard) {
		heard = r.NoticedAt
	}
	if r.Expected != nil && r.Parts >= *r.Expected || !now.Before(heard.Add(waitFor)) || !now.Before(r.EndedAt.Add(waitAtMost)) {
		r.Status = Failed
		if r.Parts > 0 {
			r.Status = Ready
		}
	}
	return r
}

// checked returns the recording's state now, given the seat of its device, which is nil
// when the seat was deleted.
func (r Recording) checked(recorder *seat.Seat, now time.Time) Recording {
	switch {
	case r.Over():
	case r.recorderRemoved(recorder):
		return r.complete(now) // nothing more will arrive
	case r.Status != Running:
	case !r.recordedOn(recorder):
		r = r.ended(now)
	case !now.Before(r.HeardAt.Add(silentFor)):
		r = r.fallenSilent(now)
	}
	return r.settled(now)
}

// recorderRemoved reports whether a host removed the recording device from the meeting.
func (r Recording) recorderRemoved(recorder *seat.Seat) bool {
	return recorder != nil && recorder.Status == seat.Removed && recorder.MeetingID == r.MeetingID
}

// recordedOn reports whether the seat of the recording device is still in the meeting
// and media room that are recorded, and its holder still one of the room's own hosts.
func (r Recording) recordedOn(recorder *seat.Seat) bool {
	return recorder != nil && recorder.Alive() && recorder.OwnHost() && recorder.MeetingID == r.MeetingID && recorder.BreakoutID == r.BreakoutID
}

// mayTakeOver reports whether a device may begin another recording in place of this
// running one. The same device may, because it has lost this recording, and so may
// another device when this one's is away or silent.
func (r Recording) mayTakeOver(device seat.Seat, recorder *seat.Seat, now time.Time) bool {
	return device.Identity == r.Recorder || !r.recordedOn(recorder) || isAway(recorder) || !now.Before(r.HeardAt.Add(takenOverAfter))
}

// isAway reports whether a recording device is not connected at the moment.
func isAway(recorder *seat.Seat) bool { return recorder == nil || recorder.Status != seat.In }

// keyBytes is the length of a recording's key.
const keyBytes = 32

// checkKey decodes the key that a device sends and checks that the protection allows it.
func checkKey(protection, key string) ([]byte, error) {
	switch {
	case protection == EndToEnd && key != "":
		return nil, fault.BadParameter("key", "key must be left out: only devices of members have the key of this room's recordings.")
	case protection == EndToEnd:
		return nil, nil
	case key == "":
		return nil, fault.Parameter("key", api.CodeParameterMissing, "key is required.")
	}
	plain, err := base64.RawURLEncoding.Strict().DecodeString(key)
	if err != nil || len(plain) != keyBytes {
		return nil, fault.BadParameter("key", "key must be 32 bytes in base64url, without padding.")
	}
	return plain, nil
}

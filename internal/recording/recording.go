package recording

import (
	"encoding/base64"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Words of a recording, as the API writes them.
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

const (
	// silentFor is how long a device may send nothing before its recording
	// ends.
	silentFor = 5 * time.Minute
	// waitFor is how long parts may still arrive after the end of a recording
	// was noticed, and after each sign of its device.
	waitFor = 2 * time.Minute
	// waitAtMost is how long parts may still arrive after the end, whatever
	// signs the device gives.
	waitAtMost = 24 * time.Hour
	// mayEndLater is how far beyond the end of the recording a part may end: the
	// clocks of service and device do not run alike.
	mayEndLater = time.Minute
	// takenOverAfter is how long a connected device may send nothing before
	// another one may take over.
	takenOverAfter = 30 * time.Second
)

// Recording is what a device recorded of a meeting.
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
	Expected     *int          // how many parts there are, once the device has said so
	SealedKey    string        // with protection workspace, until it is deleted
	UploadHash   string
	Recorder     string // identity of the device that records
	RecorderName string
	MadeBy       string // the account; "" of a host without one
	StartedAt    time.Time
	EndedAt      time.Time // zero while it is recorded
	NoticedAt    time.Time // when the service noticed the end, at or after EndedAt
	HeardAt      time.Time // when the device last sent something
	IndexPiece   string    // names the stored index; "" while there is none
	DeletedAt    time.Time // zero while it is there
}

// Object is the recording as the API shows it.
func (r Recording) Object() api.Recording {
	return api.Recording{
		Object: "recording", ID: r.ID, RoomID: r.RoomID, Title: r.Title, Status: r.Status, Visibility: r.Visibility, MIMEType: r.MIMEType,
		Parts: r.Parts, Bytes: r.Bytes, DurationMS: r.Duration.Milliseconds(), StartedAt: api.At(r.StartedAt), EndedAt: api.TimeOrNull(r.EndedAt),
	}
}

// indexKey is where the index of the recording is stored; "" while it has none.
func (r Recording) indexKey() string {
	if r.IndexPiece == "" {
		return ""
	}
	return indexKey(r.ID, r.IndexPiece)
}

// shownTo is the recording as the API shows it to somebody.
func (r Recording) shownTo(p auth.Principal) api.Recording {
	o := r.Object()
	if p.Session {
		managed := r.directedBy(p)
		o.Managed = &managed
	}
	return o
}

// Over says whether nothing more of the recording is taken.
func (r Recording) Over() bool {
	return r.Status == Ready || r.Status == Failed || !r.DeletedAt.IsZero()
}

// SeenBy says whether somebody finds the recording in its workspace. Keys find
// all of them. Every member of a workspace may enter its rooms, so that what is
// for those who may enter the room is for all members.
func (r Recording) SeenBy(p auth.Principal) bool {
	return r.WorkspaceID == p.WorkspaceID && (r.Visibility != SeenPrivately || r.directedBy(p))
}

// directedBy says whether somebody may change and delete the recording. A host
// without an account, whose recording it may be, is nobody outside the meeting.
func (r Recording) directedBy(p auth.Principal) bool {
	return p.Directs(r.MadeBy) && (!p.Session || p.ManagesAll || r.MadeBy != "")
}

// ended is the recording once it is not recorded any more, from now on. Parts
// may still arrive.
func (r Recording) ended(now time.Time) Recording {
	if r.Status == Running {
		r.Status, r.EndedAt, r.NoticedAt = Processing, now, now
	}
	return r
}

// fallenSilent is the recording once its device has been silent for too long.
// It ended with the last sign of the device, which may have recorded on: what
// it has may still arrive.
func (r Recording) fallenSilent(now time.Time) Recording {
	heard := r.HeardAt
	r = r.ended(now)
	r.EndedAt = heard
	return r
}

// complete is the recording once it has ended and there are no more parts than
// those that are stored.
func (r Recording) complete(at time.Time) Recording {
	r = r.ended(at)
	parts := r.Parts
	r.Expected = &parts
	return r.settled(at)
}

// settled is the recording once it is known whether more parts will arrive:
// when the device has said how many there are, has been silent for too long, or
// has taken too long altogether.
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

// looked is the recording after a look at the seat of its device, nil when the
// seat is gone, and at the time.
func (r Recording) looked(recorder *seat.Seat, now time.Time) Recording {
	switch {
	case r.Over():
	case r.sentAway(recorder):
		return r.complete(now) // what is stored is all of it
	case r.Status != Running:
	case !r.recordedOn(recorder):
		r = r.ended(now)
	case !now.Before(r.HeardAt.Add(silentFor)):
		r = r.fallenSilent(now)
	}
	return r.settled(now)
}

// sentAway says whether a host removed the device that records from the meeting.
func (r Recording) sentAway(recorder *seat.Seat) bool {
	return recorder != nil && recorder.Status == seat.Removed && recorder.MeetingID == r.MeetingID
}

// recordedOn says whether the seat of the recording device is still where the
// recording is made.
func (r Recording) recordedOn(recorder *seat.Seat) bool {
	return recorder != nil && recorder.Alive() && recorder.MeetingID == r.MeetingID && recorder.BreakoutID == r.BreakoutID
}

// mayTakeOver says whether a device may begin another recording where this one
// runs: the same device, which has lost it, or another one when this one's is
// away or silent.
func (r Recording) mayTakeOver(by seat.Seat, recorder *seat.Seat, now time.Time) bool {
	return by.Identity == r.Recorder || !r.recordedOn(recorder) || isAway(recorder) || !now.Before(r.HeardAt.Add(takenOverAfter))
}

// isAway says whether a recording device is not connected at the moment.
func isAway(recorder *seat.Seat) bool { return recorder == nil || recorder.Status != seat.In }

// keyBytes is how long the key of a recording is.
const keyBytes = 32

// checkKey holds the key that a device sends against the protection.
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

package recording

import (
	"fmt"
	"strconv"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// Limits of a part (docs/reference/recordings.md).
const (
	MaxPart  = 16 << 20 // bytes
	MinPart  = 12 + 16  // IV and tag of an empty part
	MaxIndex = 1 << 20  // bytes of the encrypted index
)

// mostParts is how many parts a recording may have. A device closes a part at 8 MiB or
// after 10 seconds. So the longest meeting that can be scheduled, of 24 hours, and the
// largest recording by default, of 50 GiB, are 8,640 parts for the time and 6,400 for the
// size, together 15,040. A device could make its parts as small as 28 bytes, and then the
// size alone would allow millions. The answer to a download lists all parts: 20,000 of
// them make less than 3 MB of it.
const mostParts = 20_000

// Part is a part of a recording, stored or arriving.
type Part struct {
	RecordingID string
	Number      int
	Bytes       int64
	SHA256      string // of the stored bytes, hex
	Piece       string // names the stored bytes
	Ends        time.Duration
	StoredAt    time.Time
}

// key is the key under which the part is stored. Each try to send it has its own key, so
// that deleting the bytes of a failed try does not affect a successful one.
func (p Part) key() string { return fmt.Sprintf("%s/%06d-%s", p.RecordingID, p.Number, p.Piece) }

// prefix is the beginning of all keys of a recording.
func prefix(recordingID string) string { return recordingID + "/" }

// indexKey is the key under which an index of a recording is stored. Each version has
// its own key, like the tries of a part.
func indexKey(recordingID, piece string) string { return recordingID + "/" + indexPrefix + piece }

const indexPrefix = "index-"

// number reads the index of a part in a path. For a text that is not one, it returns
// not found.
func number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || strconv.Itoa(n) != text {
		return 0, fault.Missing()
	}
	return n, nil
}

// expects checks whether the recording accepts an arriving part. before is the part that
// is stored in its place, nil when there is none. known means that the same part is
// stored already.
func (r Recording) expects(p Part, before *Part) (known bool, err error) {
	switch {
	case before != nil && before.SHA256 == p.SHA256 && r.DeletedAt.IsZero():
		return true, nil
	case r.Over():
		return false, errOver()
	case before != nil:
		return false, fault.Conflicting(api.CodePartConflict, "This part is stored already, with other content.")
	case p.Number != r.Parts || r.Expected != nil && p.Number >= *r.Expected:
		return false, fault.Conflicting(api.CodePartOutOfOrder, fmt.Sprintf("The next part has the index %d.", r.Parts))
	case p.Number >= mostParts:
		return false, fault.Conflicting(api.CodeLimitReached, fmt.Sprintf("One recording may have at most %d parts. What is stored of it becomes ready.", mostParts))
	case r.Status != Running && p.Ends > r.NoticedAt.Sub(r.StartedAt)+mayEndLater:
		return false, fault.BadParameter("ends_ms", "ends_ms lies too far beyond the end of the recording.")
	}
	return false, nil
}

// with returns the recording with another part.
func (r Recording) with(p Part) Recording {
	r.Parts++
	r.Bytes += p.Bytes
	r.Duration = max(r.Duration, p.Ends)
	return r
}

// finished returns the recording after its device has ended it and given the number of
// parts. When the device has made more than a recording may have, the first ones are
// taken: it may still have some of them to send.
func (r Recording) finished(parts int, now time.Time) (Recording, error) {
	parts = min(parts, max(mostParts, r.Parts))
	switch {
	case r.Over() && parts == r.Parts && r.DeletedAt.IsZero():
		return r, nil // the device repeats itself
	case r.Over():
		return r, errOver()
	case parts < r.Parts:
		return r, fault.BadParameter("parts", fmt.Sprintf("parts must be at least %d: as many are stored.", r.Parts))
	}
	r = r.ended(now)
	r.Expected = &parts
	return r.settled(now), nil
}

func errOver() error {
	return fault.Conflicting(api.CodeRecordingOver, "This recording is over: nothing more of it is taken.")
}

// quota limits how much may be stored; zero means no limit.
type quota struct {
	recording int64 // of one recording
	workspace int64 // of all recordings of a workspace
}

// allows refuses more bytes than fit, for a workspace that has stored inWorkspace bytes.
func (q quota) allows(r Recording, inWorkspace, more int64) error {
	switch {
	case q.recording > 0 && r.Bytes+r.IndexBytes+more > q.recording:
		return fault.Conflicting(api.CodeLimitReached, fmt.Sprintf("One recording may have at most %d bytes. What is stored of it becomes ready.", q.recording))
	case q.workspace > 0 && inWorkspace+more > q.workspace:
		return fault.Conflicting(api.CodeLimitReached,
			fmt.Sprintf("The recordings of a workspace may have at most %d bytes together. Delete some that are not needed any more.", q.workspace))
	}
	return nil
}

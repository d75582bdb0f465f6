package recording

import (
	"strconv"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/id"
)

// orphanedFor is how long a piece may lie in the store that belongs to nothing:
// longer than any upload takes.
const orphanedFor = 24 * time.Hour

// piece is what the key of a stored piece says.
type piece struct {
	key         string
	recordingID string
	number      int // of a part
}

// pieceOf reads a key; false for one that no recording has.
func pieceOf(key string) (piece, bool) {
	recordingID, name, _ := strings.Cut(key, "/")
	p := piece{key: key, recordingID: recordingID}
	if !id.Valid(recordingID) {
		return p, false
	}
	if strings.HasPrefix(name, indexPrefix) {
		return p, true
	}
	number, rest, _ := strings.Cut(name, "-")
	var err error
	p.number, err = strconv.Atoi(number)
	return p, err == nil && p.number >= 0 && rest != ""
}

// orphans finds which pieces of one recording belong to nothing. stored are the
// keys of its parts. Of a recording of which more may be stored nothing is an
// orphan, and so nothing is deleted that somebody is about to acknowledge.
func (r Recording) orphans(pieces []piece, stored map[string]bool) []string {
	if !r.Over() {
		return nil
	}
	index := r.indexKey()
	var keys []string
	for _, p := range pieces {
		if !r.DeletedAt.IsZero() || !stored[p.key] && p.key != index {
			keys = append(keys, p.key)
		}
	}
	return keys
}

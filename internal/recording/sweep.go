package recording

import (
	"strconv"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/id"
)

// orphanedFor is how old an orphan must be before it is deleted. It is longer than any
// upload takes.
const orphanedFor = 24 * time.Hour

// piece is a stored piece as its key describes it.
type piece struct {
	key         string
	recordingID string
	number      int // of a part
}

// pieceOf parses a key; false when it is not the key of a recording's piece.
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

// orphans returns the keys of those pieces of the recording that no row refers to.
// stored are the keys of its parts. A recording that still accepts parts has no orphans,
// because a piece may be about to get its row.
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

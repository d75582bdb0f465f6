package recording

import (
	"slices"
	"testing"
	"time"
)

const (
	someID  = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"
	someTry = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c12"
)

func TestTheSweepKnowsTheKeysOfRecordings(t *testing.T) {
	t.Parallel()
	part := Part{RecordingID: someID, Number: 12, Piece: someTry}
	index := indexKey(someID, someTry)
	for key, want := range map[string]piece{
		part.key():                 {recordingID: someID, number: 12},
		part.key() + ".18ab3f.tmp": {recordingID: someID, number: 12},
		index:                      {recordingID: someID},
		index + ".18ab3f.tmp":      {recordingID: someID},
	} {
		want.key = key
		if got, ours := pieceOf(key); !ours || got != want {
			t.Errorf("%s: %+v, %v; want %+v", key, got, ours, want)
		}
	}
	for _, key := range []string{"", "index", someID, someID + "/", someID + "/notes.txt", someID + "/12", someID + "/-12-" + someTry, "backup/000012-" + someTry} {
		if got, ours := pieceOf(key); ours {
			t.Errorf("%s is read as %+v; want that it is not a key of a recording", key, got)
		}
	}
}

func TestOrphans(t *testing.T) {
	t.Parallel()
	const before = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c13"
	part := func(number int, piece string) string {
		return Part{RecordingID: someID, Number: number, Piece: piece}.key()
	}
	kept, anotherTry, beyond := part(0, someTry), part(0, before), part(1, someTry)
	index, earlier := indexKey(someID, someTry), indexKey(someID, before)
	all := []string{kept, anotherTry, kept + ".tmp", beyond, index, earlier, index + ".tmp"}
	leftovers := []string{anotherTry, kept + ".tmp", beyond, earlier, index + ".tmp"}
	var pieces []piece
	for _, key := range all {
		p, ours := pieceOf(key)
		if !ours {
			t.Fatalf("%s is not a key of a recording", key)
		}
		pieces = append(pieces, p)
	}
	stored := map[string]bool{kept: true}
	for name, c := range map[string]struct {
		r    Recording
		want []string
	}{
		"running":    {Recording{Status: Running}, nil},
		"processing": {Recording{Status: Processing}, nil},
		"ready":      {Recording{Status: Ready}, leftovers},
		"failed":     {Recording{Status: Failed}, leftovers},
		"deleted":    {Recording{Status: Running, DeletedAt: time.Unix(1, 0)}, all},
	} {
		c.r.ID, c.r.IndexPiece = someID, someTry
		if got := c.r.orphans(pieces, stored); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

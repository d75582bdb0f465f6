package group

// How much of the log of a place is kept. A device that could not follow for 3 seconds
// joins again, so no device needs older commits. Media keys have only 256 indexes, one
// for each epoch.
const (
	mostEntries = 256
	mostBytes   = 16 << 20
)

// size is how large an entry of the log is.
type size struct {
	seq   int64
	bytes int64
}

// pruneUpTo is the number up to which a log, newest first, is deleted: 0 for none of
// it. The newest entry always stays.
func pruneUpTo(log []size) int64 {
	total := int64(0)
	for i, e := range log {
		total += e.bytes
		if i > 0 && (i >= mostEntries || total > mostBytes) {
			return e.seq
		}
	}
	return 0
}

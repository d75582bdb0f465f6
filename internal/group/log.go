package group

import "time"

// How much of the log of a place is kept. A device that could not follow for 3 seconds
// joins again, so no device needs older commits. Media keys have only 256 indexes, one
// for each epoch.
const (
	mostEntries = 256
	mostBytes   = 16 << 20
	// keptFor is how long a commit is kept in any case. Otherwise somebody could send a
	// commit that others cannot take, and then so many more that it is deleted. The commit
	// before it is kept, too: a device blames an author only if it can read again what
	// brought it into its epoch. The limits of what devices send bound how much that is.
	keptFor = 10 * time.Second
)

// size is how large an entry of the log is.
type size struct {
	seq    int64
	bytes  int64
	madeAt time.Time
}

// pruneUpTo is the number up to which a log, newest first, is deleted: 0 for none of
// it. The newest entry always stays, and so do those that are kept in any case.
func pruneUpTo(log []size, now time.Time) int64 {
	total := int64(0)
	next := now // when the entry after it was made
	for i, e := range log {
		total += e.bytes
		if i > 0 && (i >= mostEntries || total > mostBytes) && !isNew(e.madeAt, now) && !isNew(next, now) {
			return e.seq
		}
		next = e.madeAt
	}
	return 0
}

// isNew says whether an entry made then is kept in any case. If the clock is set back, that
// does not last much longer.
func isNew(madeAt, now time.Time) bool {
	since := now.Sub(madeAt)
	return since < keptFor && since > -keptFor
}

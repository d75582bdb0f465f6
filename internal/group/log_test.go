package group

import (
	"strings"
	"testing"
	"time"
)

func TestTheLogIsPruned(t *testing.T) {
	t.Parallel()
	logOf := func(entries int, bytes int64) (log []size) {
		for seq := entries; seq > 0; seq-- {
			log = append(log, size{seq: int64(seq), bytes: bytes})
		}
		return log
	}
	for _, test := range []struct {
		name    string
		entries int
		bytes   int64
		want    int64
	}{
		{"empty", 0, 0, 0},
		{"full", mostEntries, 1000, 0},
		{"one entry too many", mostEntries + 1, 1000, 1},
		{"ten entries too many", mostEntries + 10, 1000, 10},
		{"as large as it may be", 16, mostBytes / 16, 0},
		{"too large", 16, mostBytes/16 + 1, 1},
		{"one that is too large", 1, mostBytes + 1, 0},
		{"two that are too large", 2, mostBytes + 1, 1},
	} {
		if got := pruneUpTo(logOf(test.entries, test.bytes), noon); got != test.want {
			t.Errorf("%s: pruned up to %d, want %d", test.name, got, test.want)
		}
	}
}

// A commit is kept long enough for everybody to read it, with the one before it, however many
// come after it.
func TestTheLogKeepsWhatIsNew(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		age  time.Duration
		want int64
	}{
		{"just made", 0, 0},
		{"not ten seconds old", 10*time.Second - time.Millisecond, 0},
		{"ten seconds old", 10 * time.Second, 1}, // and 2 came before 3
		{"made by a clock that is ahead", -time.Second, 0},
		{"made before the clock was set back", -time.Hour, 1},
	} {
		then := noon.Add(-test.age)
		log := []size{{3, mostBytes, noon}, {2, 1, then}, {1, 1, then}}
		if got := pruneUpTo(log, noon); got != test.want {
			t.Errorf("%s: pruned up to %d, want %d", test.name, got, test.want)
		}
	}
}

func TestAPageOfMessagesEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	text := func(bytes int) string { return strings.Repeat("A", bytes) }
	log := []entry{{Seq: 4, Epoch: 2, Message: text(pageBytes), Welcome: "hello"}, {Seq: 5, Epoch: 3, Message: text(pageBytes - 5)}, {Seq: 6, Epoch: 4, Message: "A"}}
	for _, test := range []struct {
		addedSeq int64
		want     int
	}{{3, 1}, {4, 2}} {
		page := pageOf(log, test.addedSeq)
		if len(page) != test.want {
			t.Errorf("added by %d: %d messages, want %d", test.addedSeq, len(page), test.want)
		}
		if welcome := page[0].Kind == "welcome" && page[0].Message == "hello"; welcome != (test.addedSeq == 4) {
			t.Errorf("added by %d: the first message is a %s", test.addedSeq, page[0].Kind)
		}
	}
}

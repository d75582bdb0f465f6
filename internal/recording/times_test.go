package recording

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/blob"
)

// Whatever waits for something else is more patient than that.
func TestTheTimesFitTogether(t *testing.T) {
	t.Parallel()
	patience := milliseconds(t, "upload-service.ts", "patience")
	const partBits = 8 << 20 * 8                        // the largest part of the interface's recorder
	const slowBucket = partBits * time.Second / 600_000 // docs/how-to/store-recordings-on-s3.md
	if slowBucket >= blob.SendWithin {
		t.Errorf("the service waits %s for a bucket that may take %s", blob.SendWithin, slowBucket)
	}
	const slowDevice = partBits * time.Second / 1_000_000
	if limit := slowDevice + blob.SendWithin + discardWithin; limit >= patience {
		t.Errorf("a device waits %s for an answer that may take %s", patience, limit)
	}
	// Check hears a device whose part waits for the bucket.
	if silent := hearEvery + checkEvery; silent >= takenOverAfter {
		t.Errorf("another device may take over after %s, and a device that sends may not be heard for %s", takenOverAfter, silent)
	}
	silent := LongestSilence(t)
	if silent >= waitFor {
		t.Errorf("after the end the service waits %s for a device that may be silent for %s", waitFor, silent)
	}
	if silent >= silentFor {
		t.Errorf("before the end the service waits %s for a device that may be silent for %s", silentFor, silent)
	}
}

// LongestSilence is how long the service may hear nothing of a device that is there: its
// request is lost, and it tries again.
func LongestSilence(t *testing.T) time.Duration {
	t.Helper()
	return hearEvery + milliseconds(t, "upload-service.ts", "patience") + milliseconds(t, "uploader.ts", "longestPause")
}

// milliseconds reads a constant of the client's part of recording.
func milliseconds(t *testing.T, file, name string) time.Duration {
	t.Helper()
	text, err := os.ReadFile("../../web/client/src/recording/" + file)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^const ` + name + ` = ([0-9_]+);$`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s has no constant %s", file, name)
	}
	n, err := strconv.Atoi(strings.ReplaceAll(string(found[1]), "_", ""))
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(n) * time.Millisecond
}

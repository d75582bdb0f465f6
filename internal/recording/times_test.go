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
	pause := milliseconds(t, "uploader.ts", "longestPause")
	const slowPart = 8 << 20 * 8 * time.Second / 1_000_000 // 8 MiB at 1 Mbit/s
	if limit := slowPart + blob.SendWithin; limit >= patience {
		t.Errorf("a device waits %s for an answer that may take %s", patience, limit)
	}
	// The device was heard when the last bytes of its part came, or a while before.
	if silent := hearEvery + blob.SendWithin; silent >= waitFor {
		t.Errorf("the service waits %s for a device whose part may wait for the bucket for %s", waitFor, silent)
	}
	// The device's request is lost, and it tries again.
	silent := hearEvery + patience + pause
	if silent >= waitFor {
		t.Errorf("after the end the service waits %s for a device that may be silent for %s", waitFor, silent)
	}
	if silent >= silentFor {
		t.Errorf("before the end the service waits %s for a device that may be silent for %s", silentFor, silent)
	}
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

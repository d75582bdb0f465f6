package recording_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/recording"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// A device that waits for an answer in vain and tries again is silent for a while although
// it is there. After the longest such silence, its recording still takes the last part.
func TestARecordingWaitsForALastPartThatIsSentAgain(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := record(t, where)
		finish := servertest.Request{Method: http.MethodPost, Path: "/meet/v1/recordings/" + d.ID + "/finish", Bearer: d.Secret, Body: `{"parts": 1}`}
		if a := d.Send(finish); a.Status != http.StatusOK {
			t.Fatalf("finish: %d %s", a.Status, a.Body)
		}
		d.Pass(recording.LongestSilence(t))
		if err := d.Recordings.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a := d.Send(d.Part(0, strings.Repeat("x", 100))); a.Status != http.StatusOK || !strings.Contains(string(a.Body), `"status":"ready"`) {
			t.Errorf("the last part: %d %s; want that it is stored and the recording ready", a.Status, a.Body)
		}
	})
}

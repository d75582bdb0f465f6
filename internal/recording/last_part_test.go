package recording_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/conclave-rooms/conclave/internal/blob/blobtest"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/recording"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// The service hears nothing of a device for as long as one may be silent that is there: it
// waits for an answer in vain, and tries again. Its recording takes the last part all the
// same. The bucket holds the part back meanwhile, as the network would.
func TestARecordingWaitsForALastPartThatWaitsForTheStore(t *testing.T) {
	t.Parallel()
	store := blobtest.Start(t)
	s, key, roomID := withRoom(t, dbtest.Config(t, db.SQLite), servertest.Options{BlobURL: store.Bucket(t, "recordings")})
	u := s.Record(key, roomID)
	finish := servertest.Request{Method: http.MethodPost, Path: "/meet/v1/recordings/" + u.ID + "/finish", Bearer: u.Secret, Body: `{"parts": 1}`}
	if a := s.Send(finish); a.Status != http.StatusOK {
		t.Fatalf("finish: %d %s", a.Status, a.Body)
	}
	arrived, held := make(chan struct{}), make(chan struct{})
	goOn := sync.OnceFunc(func() { close(held) })
	defer goOn()
	store.Answer(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodPut {
			close(arrived)
			<-held
		}
	})
	answer := make(chan servertest.Answer, 1)
	go func() {
		answer <- s.Send(servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+u.ID+"/parts/0?ends_ms=1000", u.Secret, strings.Repeat("x", 100)))
	}()
	select {
	case <-arrived:
	case a := <-answer:
		t.Fatalf("the last part never reached the bucket: %d %s", a.Status, a.Body)
	}
	s.Pass(recording.LongestSilence(t))
	if err := s.Recordings.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	goOn()
	if a := <-answer; a.Status != http.StatusOK || !strings.Contains(string(a.Body), `"status":"ready"`) {
		t.Errorf("the last part: %d %s; want that it is stored and the recording ready", a.Status, a.Body)
	}
}

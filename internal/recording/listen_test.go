package recording_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/blob/blobtest"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// waiting is an upload of a recording that waits for its bucket, while another host is in
// the meeting.
type waiting struct {
	*servertest.Service

	t       *testing.T
	other   string        // the ticket of the other host
	hangUp  func()        // the device gives up
	dropped chan struct{} // closed once the service has dropped the upload, and deletes it
	goOn    func()        // the bucket takes the upload
	status  chan int
}

// wait begins an upload with this path, and returns when it has arrived at the bucket.
func wait(t *testing.T, path string) *waiting {
	t.Helper()
	store := blobtest.Start(t)
	s, key, roomID := withRoom(t, dbtest.Config(t, db.SQLite), servertest.Options{BlobURL: store.Bucket(t, "recordings")})
	u := s.Record(key, roomID)
	w := &waiting{Service: s, t: t, other: anotherHost(t, s, key, roomID), dropped: make(chan struct{}), status: make(chan int, 1)}
	arrived, taken := make(chan struct{}), make(chan struct{})
	deletes := sync.OnceFunc(func() { close(w.dropped) })
	w.goOn = sync.OnceFunc(func() { close(taken) })
	t.Cleanup(w.goOn)
	store.Answer(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodPut {
			close(arrived)
		} else { // it looks for what there is to delete
			deletes()
		}
		select {
		case <-taken:
		case <-r.Context().Done():
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	w.hangUp = cancel
	body := strings.Repeat("x", 100)
	req, err := s.NewRequest(ctx, servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+u.ID+path, u.Secret, body), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = int64(len(body))
	go func() {
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			w.status <- 0
			return
		}
		_ = res.Body.Close()
		w.status <- res.StatusCode
	}()
	select {
	case <-arrived:
	case status := <-w.status:
		t.Fatalf("the upload never reached the bucket: %d", status)
	}
	return w
}

// anotherHost connects another host of the room, and returns their ticket.
func anotherHost(t *testing.T, s *servertest.Service, key, roomID string) string {
	t.Helper()
	var token struct{ Token string }
	a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms/" + roomID + "/tokens", Bearer: key, Body: `{"name": "Hedy", "role": "host"}`})
	if err := json.Unmarshal(a.Body, &token); err != nil || a.Status != http.StatusCreated {
		t.Fatalf("a token: %d %s", a.Status, a.Body)
	}
	var seat struct{ Ticket string }
	a = s.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/tickets", Body: `{"token": "` + token.Token + `"}`})
	if err := json.Unmarshal(a.Body, &seat); err != nil || a.Status/100 != 2 {
		t.Fatalf("a ticket: %d %s", a.Status, a.Body)
	}
	upstream, _, err := s.Joins.LetThrough(t.Context(), token.Token)
	if err == nil {
		_, err = s.Media.Connect(upstream)
	}
	if err != nil {
		t.Fatalf("connect another host: %v", err)
	}
	s.Settle()
	return seat.Ticket
}

// check lets a time pass, and checks the recordings.
func (w *waiting) check(after time.Duration) {
	w.t.Helper()
	w.Pass(after)
	if err := w.Recordings.Check(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// takeOver lets the other host begin a recording.
func (w *waiting) takeOver() servertest.Answer {
	w.t.Helper()
	return w.Send(servertest.Request{
		Method: http.MethodPost, Path: "/meet/v1/recordings", Bearer: w.other, Body: `{"mime_type": "video/mp4", "key": "` + servertest.RecordingKey + `"}`,
	})
}

// While a bucket takes its time, nobody takes the recording over, although its device
// cannot send anything else.
func TestADeviceWhoseUploadWaitsForTheBucketIsHeard(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"a part": "/parts/0?ends_ms=1000", "the index": "/index"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := wait(t, path)
			for range 4 { // two minutes, as long as a bucket may take
				w.check(15 * time.Second)
				w.check(14 * time.Second)
				if a := w.takeOver(); a.Code() != api.CodeRecordingRunning {
					t.Fatalf("another host begins a recording: %d %s; want 409 recording_running", a.Status, a.Body)
				}
				w.check(time.Second)
			}
			w.goOn()
			if got := <-w.status; got != http.StatusOK {
				t.Errorf("the upload got %d", got)
			}
			w.check(30 * time.Second) // the upload does not wait any more
			if a := w.takeOver(); a.Status != http.StatusCreated {
				t.Errorf("another host, after 30 silent seconds: %d %s", a.Status, a.Body)
			}
		})
	}
}

// A device that has given its upload up may be gone.
func TestADeviceThatHangsUpIsNotHeardAnyMore(t *testing.T) {
	t.Parallel()
	w := wait(t, "/parts/0?ends_ms=1000")
	w.hangUp()
	<-w.dropped
	w.check(30 * time.Second)
	if a := w.takeOver(); a.Status != http.StatusCreated {
		t.Errorf("another host, after 30 silent seconds: %d %s", a.Status, a.Body)
	}
}

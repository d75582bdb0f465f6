package recording_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/blob/blobtest"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// When the disk is full, the part is refused, and the stored parts become a ready
// recording.
func TestAFullDiskEndsTheRecording(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		small := filepath.Join(where.Dir, "recordings")
		if err := os.Mkdir(small, 0o700); err != nil {
			t.Fatal(err)
		}
		mount(t, small, "1m")
		d := record(t, where)
		if a := d.Send(d.Part(0, strings.Repeat("a", 600_000))); a.Status != http.StatusOK {
			t.Fatalf("the first part: %d %s", a.Status, a.Body)
		}
		a := d.Send(d.Part(1, strings.Repeat("b", 600_000)))
		if a.Status != http.StatusInsufficientStorage || a.Code() != api.CodeStorageFull {
			t.Errorf("the second part: %d %s", a.Status, a.Body)
		}
		if s := d.state(); s.Status != "ready" || s.Parts != 1 {
			t.Errorf("the recording is %s with %d parts", s.Status, s.Parts)
		}
		a = d.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/recordings/" + d.ID + "/parts/0", Bearer: d.key})
		if string(a.Body) != strings.Repeat("a", 600_000) || d.stored() != 1 {
			t.Errorf("the first part: %d, %d bytes; %d files", a.Status, len(a.Body), d.stored())
		}
	})
}

// Recordings do not fill the disk on which the database is: the part that would is
// refused, its recording is ready, and the service goes on.
func TestRecordingsLeaveSpaceForTheDatabase(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	file := filepath.Join(where.Dir, "conclave.db")
	made, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mount(t, where.Dir, "80m")
	if err := os.WriteFile(file, made, 0o600); err != nil {
		t.Fatal(err)
	}
	d := record(t, where)
	if a := d.Send(d.Part(0, strings.Repeat("a", 1000))); a.Status != http.StatusOK {
		t.Fatalf("the first part: %d %s", a.Status, a.Body)
	}
	space, err := blob.SpaceOf(where.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(where.Dir, "filler"), make([]byte, space.Free-space.Reserve()+4096), 0o600); err != nil {
		t.Fatal(err)
	}
	if a := d.Send(d.Part(1, strings.Repeat("b", 1000))); a.Status != http.StatusInsufficientStorage || a.Code() != api.CodeStorageFull {
		t.Errorf("the second part: %d %s; want 507 storage_full", a.Status, a.Body)
	}
	if s := d.state(); s.Status != "ready" || s.Parts != 1 || d.stored() != 1 {
		t.Errorf("the recording is %s with %d parts in %d files, want ready with one", s.Status, s.Parts, d.stored())
	}
	for range 20 {
		if a := d.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: d.key, Body: `{"name": "Weekly"}`}); a.Status != http.StatusCreated {
			t.Fatalf("making a room: %d %s", a.Status, a.Body)
		}
	}
}

// With a bucket, a part waits on the disk of the service until it is sent. A disk without
// space for it is not a full bucket, which is not even asked: the device sends the part
// again, and the recording goes on.
func TestAFullDiskBeforeABucketKeepsTheRecordingGoing(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	dir := filepath.Join(where.Dir, "recordings")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	mount(t, dir, "1m")
	store := blobtest.Start(t)
	s, key, roomID := withRoom(t, where, servertest.Options{BlobURL: store.Bucket(t, "recordings")})
	u := s.Record(key, roomID)
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	part := servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+u.ID+"/parts/0?ends_ms=1000", u.Secret, strings.Repeat("x", 100))
	index := servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+u.ID+"/index", u.Secret, strings.Repeat("i", 28))
	store.Answer(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("the bucket was asked to %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusForbidden)
	})
	for what, request := range map[string]servertest.Request{"a part": part, "the index": index} {
		s.Pass(time.Minute)
		if a := s.Send(request); a.Status != http.StatusServiceUnavailable || a.Code() != api.CodeServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s; want 503 service_unavailable with Retry-After", what, a.Status, a.Body)
		}
		if s.Count("recording WHERE heard_at >= $1", s.Now().UnixMilli()) != 1 {
			t.Errorf("the device that sent %s was not heard", what)
		}
	}
	store.Answer(nil)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if a := s.Send(part); a.Status != http.StatusOK || !strings.Contains(string(a.Body), `"status":"recording"`) {
		t.Errorf("the part again: %d %s; want that the recording goes on", a.Status, a.Body)
	}
}

// mount mounts a small disk on a directory.
func mount(t *testing.T, dir, size string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("making a small disk needs root and a system that allows it: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

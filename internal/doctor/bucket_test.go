package doctor

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/conclave-rooms/conclave/internal/blob/blobtest"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Run(m)) }

// The bucket is examined also where the working directory cannot be written to, as in the
// image, which runs in the root directory.
func TestABucketIsExaminedFromAnyDirectory(t *testing.T) {
	server := blobtest.Start(t)
	gone := t.TempDir()
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil { // root may write to any directory that exists
		t.Fatal(err)
	}
	o := &Options{}
	o.Config.BlobURL = server.Bucket(t, "recordings")
	want(t, step(t, o, "recordings"), OK, "written to the bucket, read and deleted")
	server.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	advises(t, step(t, o, "recordings"), Failed, "Nothing can be written", "its policy")
}

// The probe does not stay in the bucket when it cannot be read.
func TestTheProbeIsDeletedAlsoWhenItCannotBeRead(t *testing.T) {
	t.Parallel()
	server := blobtest.Start(t)
	o := &Options{}
	o.Config.BlobURL = server.Bucket(t, "recordings")
	var deleted atomic.Int64
	server.Answer(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method {
		case http.MethodGet:
			w.WriteHeader(http.StatusForbidden)
		case http.MethodDelete:
			deleted.Add(1)
			w.WriteHeader(http.StatusNoContent)
		}
	})
	advises(t, step(t, o, "recordings"), Failed, "cannot be read", "its policy")
	if deleted.Load() != 1 {
		t.Errorf("the probe was deleted %d times, want once", deleted.Load())
	}
}

// The probe is also deleted when the bucket stored it but answered too late.
func TestTheProbeIsDeletedAlsoWhenTheBucketDoesNotAnswer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o, deleted := takesAndAnswers(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel() // as at the end of the step's time
		<-r.Context().Done()
	})
	want(t, bucket(ctx, o), Failed, "Nothing can be written")
	if deleted.Load() != 1 {
		t.Errorf("the probe was deleted %d times, want once", deleted.Load())
	}
}

// The probe is also deleted when the connection is lost after the bucket stored it, or when
// something in between answers.
func TestTheProbeIsDeletedAlsoWhenTheAnswerIsLost(t *testing.T) {
	t.Parallel()
	o, deleted := takesAndAnswers(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	want(t, step(t, o, "recordings"), Failed, "Nothing can be written")
	if deleted.Load() != 1 {
		t.Errorf("the probe was deleted %d times, want once", deleted.Load())
	}
}

// takesAndAnswers is a bucket that reads what it is sent, and then answers in this way. It
// counts what is deleted.
func takesAndAnswers(t *testing.T, answer http.HandlerFunc) (*Options, *atomic.Int64) {
	t.Helper()
	server, o, deleted := blobtest.Start(t), &Options{}, &atomic.Int64{}
	o.Config.BlobURL = server.Bucket(t, "recordings")
	server.Answer(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch r.Method {
		case http.MethodPut:
			answer(w, r)
		case http.MethodDelete:
			deleted.Add(1)
			w.WriteHeader(http.StatusNoContent)
		}
	})
	return o, deleted
}

// A disk without space for the probe says nothing about the bucket.
func TestAFullDiskIsNotBlamedOnTheBucket(t *testing.T) {
	server := blobtest.Start(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("making a small disk needs root, and a system that allows it: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20-8192), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	o := &Options{}
	o.Config.BlobURL = server.Bucket(t, "recordings")
	advises(t, step(t, o, "recordings"), Failed, "too little space for temporary files in "+dir, "Make room for temporary files")
}

package doctor

import (
	"net/http"
	"os"
	"sync/atomic"
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

package recording_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// index is a request to store an index of size bytes.
func (d *device) index(size int) servertest.Request {
	return servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+d.ID+"/index", d.Secret, strings.Repeat("i", size))
}

// An index from before the sizes of indexes were stored counts as empty. The next one
// replaces it and counts.
func TestAnIndexWithoutASizeIsReplaced(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := record(t, where)
		d.Recordings.MaxBytes = 1000
		if a := d.Send(d.index(900)); a.Status != http.StatusOK {
			t.Fatalf("the index: %d %s", a.Status, a.Body)
		}
		dbtest.Change(t, d.DB(), `UPDATE recording SET index_bytes = 0 WHERE id = $1`, d.ID)
		if a := d.Send(d.Part(0, strings.Repeat("a", 500))); a.Status != http.StatusOK {
			t.Fatalf("a part beside it: %d %s", a.Status, a.Body)
		}
		if a := d.Send(d.index(500)); a.Status != http.StatusOK || d.stored() != 2 {
			t.Errorf("the next index: %d %s, and %d files; want the part and one index", a.Status, a.Body, d.stored())
		}
		if a := d.Send(d.Part(1, strings.Repeat("b", 28))); a.Code() != api.CodeLimitReached {
			t.Errorf("a part beyond the quota: %d %s; want limit_reached", a.Status, a.Body)
		}
	})
}

// An index for which the space is used up while it arrives is refused and deleted, and
// its recording is ready.
func TestAnIndexBeyondTheQuotaIsDeleted(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := record(t, where)
		d.Recordings.MaxBytes = 1000
		late := d.sendSlowly(d.index(500), 500)
		if _, err := late.pipe.Write([]byte(strings.Repeat("i", 250))); err != nil {
			t.Fatal(err)
		}
		until(t, "the index is being stored", func() bool { return d.stored() == 1 })
		if a := d.Send(d.Part(0, strings.Repeat("a", 501))); a.Status != http.StatusOK {
			t.Fatalf("the part: %d %s", a.Status, a.Body)
		}
		_, _ = late.pipe.Write([]byte(strings.Repeat("i", 250)))
		_ = late.pipe.Close()
		if a := <-late.answer; a.Code() != api.CodeLimitReached {
			t.Errorf("the index: %d %s; want limit_reached", a.Status, a.Body)
		}
		if s := d.state(); s.Status != "ready" || s.Parts != 1 || d.stored() != 1 {
			t.Errorf("the recording is %s with %d parts in %d files, want ready with one", s.Status, s.Parts, d.stored())
		}
	})
}

package recording_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// slow is a request whose body is sent byte by byte.
type slow struct {
	pipe   *io.PipeWriter
	answer chan servertest.Answer
}

// sendSlowly begins a request with a body of size bytes.
func (d *device) sendSlowly(r servertest.Request, size int) slow {
	d.t.Helper()
	body, pipe := io.Pipe()
	req, err := d.NewRequest(d.t.Context(), r, body)
	if err != nil {
		d.t.Fatal(err)
	}
	req.ContentLength = int64(size)
	answer := make(chan servertest.Answer, 1)
	go func() {
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			answer <- servertest.Answer{Body: []byte(err.Error())}
			return
		}
		defer func() { _ = res.Body.Close() }()
		text, _ := io.ReadAll(res.Body)
		answer <- servertest.Answer{Status: res.StatusCode, Header: res.Header, Body: text}
	}()
	return slow{pipe: pipe, answer: answer}
}

// A late try to send a part, which arrives after the recording is complete, does not
// delete the acknowledged one, although both have the same bytes.
func TestALateTryDoesNotDeleteAStoredPart(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := record(t, where)
		whole := strings.Repeat("a", 1000)
		first := d.sendSlowly(d.Part(0, whole), len(whole))
		if _, err := first.pipe.Write([]byte(whole[:500])); err != nil {
			t.Fatal(err)
		}
		until(t, "the first try is being stored", func() bool { return d.stored() == 1 })
		if a := d.Send(d.Part(0, whole)); a.Status != http.StatusOK {
			t.Fatalf("the second try: %d %s", a.Status, a.Body)
		}
		var s uploaded
		d.ask(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/recordings/" + d.ID + "/finish", Bearer: d.Secret, Body: `{"parts": 1}`}, &s)
		if s.Status != "ready" {
			t.Fatalf("the recording is %s", s.Status)
		}
		d.Pass(time.Minute) // the recording is checked again
		_, _ = first.pipe.Write([]byte(whole[500:]))
		_ = first.pipe.Close()
		if a := <-first.answer; a.Code() != api.CodeRecordingOver && a.Status != http.StatusOK {
			t.Errorf("the first try: %d %s", a.Status, a.Body)
		}
		until(t, "one file is left", func() bool { return d.stored() == 1 })
		a := d.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/recordings/" + d.ID + "/parts/0", Bearer: d.key})
		if string(a.Body) != whole {
			t.Errorf("the part: %d %.100s", a.Status, a.Body)
		}
	})
}

// A part that is refused after its bytes were stored is deleted, whatever the reason.
func TestARefusedPartIsDeleted(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := record(t, where)
		d.Recordings.MaxBytes = 1500
		whole := strings.Repeat("a", 1000)
		// While the part arrives, another one takes its place.
		late := d.sendSlowly(d.Part(0, whole), len(whole))
		if _, err := late.pipe.Write([]byte(whole[:500])); err != nil {
			t.Fatal(err)
		}
		until(t, "the part is being stored", func() bool { return d.stored() == 1 })
		if a := d.Send(d.Part(0, "another one in its place, and long enough")); a.Status != http.StatusOK {
			t.Fatalf("the other part: %d %s", a.Status, a.Body)
		}
		_, _ = late.pipe.Write([]byte(whole[500:]))
		_ = late.pipe.Close()
		if a := <-late.answer; a.Code() != api.CodePartConflict {
			t.Errorf("a part whose place is taken: %d %s", a.Status, a.Body)
		}
		until(t, "one file is left", func() bool { return d.stored() == 1 })

		late = d.sendSlowly(d.Part(1, whole), len(whole))
		if _, err := late.pipe.Write([]byte(whole[:500])); err != nil {
			t.Fatal(err)
		}
		until(t, "the next part is being stored", func() bool { return d.stored() == 2 })
		// While it arrives, the space is used up.
		dbtest.Change(t, d.DB(), `UPDATE recording SET bytes = bytes + 1000 WHERE id = $1`, d.ID)
		_, _ = late.pipe.Write([]byte(whole[500:]))
		_ = late.pipe.Close()
		if a := <-late.answer; a.Code() != api.CodeLimitReached {
			t.Errorf("a part beyond the quota: %d %s", a.Status, a.Body)
		}
		if n := d.stored(); n != 1 {
			t.Errorf("there are %d files, want the one of the stored part", n)
		}
	})
}

// An upload of unknown length is refused before any of it is stored.
func TestAnUploadSaysItsLength(t *testing.T) {
	t.Parallel()
	d := record(t, dbtest.Config(t, db.SQLite))
	index := servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+d.ID+"/index", d.Secret, strings.Repeat("i", 100))
	for name, r := range map[string]servertest.Request{"a part": d.Part(0, strings.Repeat("a", 100)), "an index": index} {
		late := d.sendSlowly(r, -1)
		_, _ = late.pipe.Write([]byte(r.Body))
		_ = late.pipe.Close()
		if a := <-late.answer; a.Status != http.StatusBadRequest || a.Code() != api.CodeParameterMissing {
			t.Errorf("%s of unknown length: %d %s", name, a.Status, a.Body)
		}
	}
	if n := d.stored(); n != 0 {
		t.Errorf("there are %d files", n)
	}
}

// An index that arrives after its recording is complete or was deleted changes nothing
// and leaves no file.
func TestALateIndexChangesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(d *device) servertest.Request
		left int // files
	}{
		"ready": {func(d *device) servertest.Request {
			return servertest.Request{Method: http.MethodPost, Path: "/meet/v1/recordings/" + d.ID + "/finish", Bearer: d.Secret, Body: `{"parts": 1}`}
		}, 2},
		"deleted": {func(d *device) servertest.Request {
			return servertest.Request{Method: http.MethodDelete, Path: "/api/v1/recordings/" + d.ID, Bearer: d.key}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
				d := record(t, where)
				index := func(text string) servertest.Request {
					return servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+d.ID+"/index", d.Secret, strings.Repeat(text, 100))
				}
				for _, r := range []servertest.Request{d.Part(0, strings.Repeat("a", 100)), index("x"), index("i")} {
					if a := d.Send(r); a.Status != http.StatusOK {
						t.Fatalf("%s: %d %s", r.Path, a.Status, a.Body)
					}
				}
				if n := d.stored(); n != 2 {
					t.Errorf("there are %d files, want a part and the newer index", n)
				}
				late := d.sendSlowly(index("j"), 100)
				if _, err := late.pipe.Write([]byte(strings.Repeat("j", 50))); err != nil {
					t.Fatal(err)
				}
				until(t, "the index is being stored", func() bool { return d.stored() == 3 })
				if a := d.Send(c.end(d)); a.Status != http.StatusOK {
					t.Fatalf("the end: %d %s", a.Status, a.Body)
				}
				_, _ = late.pipe.Write([]byte(strings.Repeat("j", 50)))
				_ = late.pipe.Close()
				if a := <-late.answer; a.Code() != api.CodeRecordingOver {
					t.Errorf("the late index: %d %s", a.Status, a.Body)
				}
				d.Settle() // deletes what is deleted
				if n := d.stored(); n != c.left {
					t.Errorf("there are %d files, want %d", n, c.left)
				}
			})
		})
	}
}

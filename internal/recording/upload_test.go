package recording_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/recording"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// device records a meeting in which its host is alone.
type device struct {
	*servertest.Service
	servertest.Upload

	t   *testing.T
	key string
	dir string // of the parts
}

func record(t *testing.T, where db.Config) *device {
	t.Helper()
	d := &device{Service: servertest.Start(t, where, servertest.Options{}), t: t, dir: filepath.Join(where.Dir, "recordings")}
	d.key = d.Key(d.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	var r api.Room
	d.ask(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: d.key, Body: `{"name": "Weekly"}`}, &r)
	d.Upload = d.Record(d.key, r.ID)
	return d
}

func (d *device) ask(r servertest.Request, out any) {
	d.t.Helper()
	a := d.Send(r)
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
		d.t.Fatalf("%s %s: %d %s", r.Method, r.Path, a.Status, a.Body)
	}
}

// uploaded is the state of an upload.
type uploaded struct {
	Parts  int
	Status string
}

// state reads the state of the upload.
func (d *device) state() (s uploaded) {
	d.t.Helper()
	d.ask(servertest.Request{Method: http.MethodGet, Path: "/meet/v1/recordings/" + d.ID + "/upload", Bearer: d.Secret}, &s)
	return s
}

// stored counts the files of parts, complete or not.
func (d *device) stored() (n int) {
	d.t.Helper()
	err := filepath.WalkDir(d.dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

// until waits until a condition is true.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	enough := time.After(time.Minute)
	for !so() {
		select {
		case <-look.C:
		case <-enough:
			t.Fatalf("never happened: %s", what)
		}
	}
}

// When the connection of a device breaks in the middle of a part, nothing of the part
// stays, and the device sends it again.
func TestABrokenUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := record(t, where)
		whole := strings.Repeat("a", 300_000)
		body, pipe := io.Pipe()
		ctx, hangUp := context.WithCancel(t.Context())
		r := d.Part(0, whole)
		req, err := d.NewRequest(ctx, r, body)
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = int64(len(whole))
		broke := make(chan error, 1)
		go func() {
			res, err := http.DefaultClient.Do(req)
			if err == nil {
				_ = res.Body.Close()
			}
			broke <- err
		}()
		if _, err := pipe.Write([]byte(whole[:200_000])); err != nil {
			t.Fatal(err)
		}
		until(t, "something of the part is there", func() bool { return d.stored() == 1 })
		hangUp()
		_ = pipe.CloseWithError(context.Canceled) // the client waits for its body to end
		if err := <-broke; err == nil {
			t.Error("the broken upload was answered")
		}
		until(t, "nothing of the part is left", func() bool { return d.stored() == 0 })
		if s := d.state(); s.Parts != 0 {
			t.Errorf("%d parts are stored", s.Parts)
		}
		if a := d.Send(r); a.Status != http.StatusOK || d.stored() != 1 {
			t.Errorf("the part sent again: %d %s, and %d files", a.Status, a.Body, d.stored())
		}
	})
}

// When a part is sent several times at once, one try counts. The files of the others are
// deleted.
func TestOneOfManyTriesOfAPartCounts(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := record(t, where)
		for number := range 5 {
			answers := make([]servertest.Answer, 4)
			bodies := []string{strings.Repeat("a", 50_000), strings.Repeat("b", 60_000)}
			var all sync.WaitGroup
			for i := range answers {
				all.Go(func() { answers[i] = d.Send(d.Part(number, bodies[i%2])) })
			}
			all.Wait()
			counts := map[string]int{}
			for i, a := range answers {
				if a.Status == http.StatusOK {
					counts[bodies[i%2][:1]]++
				} else if a.Code() != api.CodePartConflict {
					t.Errorf("part %d: %d %s", number, a.Status, a.Body)
				}
			}
			if len(counts) != 1 || counts["a"]+counts["b"] != 2 {
				t.Errorf("part %d: answered as stored %v; want both tries of one content", number, counts)
			}
			if s := d.state(); s.Parts != number+1 {
				t.Fatalf("%d parts are stored, want %d", s.Parts, number+1)
			}
		}
		if d.stored() != 5 {
			t.Errorf("there are %d files, want those of 5 parts", d.stored())
		}
	})
}

// A fifth upload of one recording at the same time is refused, whether it is a part or
// the index.
func TestPartsOfARecordingArriveFourAtATime(t *testing.T) {
	t.Parallel()
	d := record(t, dbtest.Config(t, db.SQLite))
	var pipes []*io.PipeWriter
	var all sync.WaitGroup
	for range 4 {
		body, pipe := io.Pipe()
		pipes = append(pipes, pipe)
		req, err := d.NewRequest(t.Context(), d.Part(0, "aaaa"), body)
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = recording.MinPart
		all.Go(func() {
			if res, err := http.DefaultClient.Do(req); err == nil {
				_ = res.Body.Close()
			}
		})
		if _, err := pipe.Write([]byte("a")); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "all four are being stored", func() bool { return d.stored() == 4 })
	if a := d.Send(d.Part(0, strings.Repeat("a", 28))); a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" {
		t.Errorf("one more: %d %s", a.Status, a.Body)
	}
	index := servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+d.ID+"/index", d.Secret, strings.Repeat("i", 28))
	if a := d.Send(index); a.Status != http.StatusTooManyRequests {
		t.Errorf("an index: %d %s", a.Status, a.Body)
	}
	for _, pipe := range pipes {
		_, _ = pipe.Write([]byte(strings.Repeat("b", recording.MinPart-1)))
		_ = pipe.Close()
	}
	all.Wait()
	if a := d.Send(d.Part(0, strings.Repeat("a", 28))); a.Status != http.StatusOK {
		t.Errorf("afterwards: %d %s", a.Status, a.Body)
	}
}

// A slow upload keeps its recording open.
func TestADeviceThatSendsASlowPartIsHeard(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := record(t, where)
		d.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/recordings/" + d.ID + "/stop", Bearer: d.Ticket})
		whole := strings.Repeat("a", 1000)
		body, pipe := io.Pipe()
		req, err := d.NewRequest(t.Context(), d.Part(0, whole), body)
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = int64(len(whole))
		status := make(chan int, 1)
		go func() {
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				status <- 0
				return
			}
			_ = res.Body.Close()
			status <- res.StatusCode
		}()
		for sent := range 9 {
			if _, err := pipe.Write([]byte(whole[sent*100 : sent*100+100])); err != nil {
				t.Fatal(err)
			}
			if sent == 0 {
				until(t, "the part is being stored", func() bool { return d.stored() == 1 })
				continue
			}
			until(t, "the device was heard", func() bool { return d.Count("recording WHERE heard_at >= $1", d.Now().UnixMilli()) == 1 })
			d.Advance(100 * time.Second)
			if s := d.state(); s.Status != "processing" {
				t.Fatalf("the recording is %s while a part arrives", s.Status)
			}
		}
		_, _ = pipe.Write([]byte(whole[900:]))
		_ = pipe.Close()
		if got := <-status; got != http.StatusOK {
			t.Errorf("the slow part got %d", got)
		}
	})
}

// The part beyond the last one that a recording may have is refused, and the recording is
// ready with those before. A recording that has more is still handed out.
func TestARecordingWithTooManyPartsEnds(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		const most = 20_000 // docs/reference/recordings.md
		d := record(t, where)
		pretend := func(parts int) {
			t.Helper()
			err := d.DB().Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), `UPDATE recording SET parts = $1 WHERE id = $2`, parts, d.ID)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		pretend(most - 1)
		if a := d.Send(d.Part(most-1, strings.Repeat("a", 28))); a.Status != http.StatusOK {
			t.Fatalf("the last part: %d %s", a.Status, a.Body)
		}
		if a := d.Send(d.Part(most, strings.Repeat("a", 28))); a.Status != http.StatusConflict || a.Code() != api.CodeLimitReached {
			t.Errorf("one more part: %d %s; want 409 limit_reached", a.Status, a.Body)
		}
		if s := d.state(); s.Status != "ready" || s.Parts != most {
			t.Errorf("the recording is %s with %d parts, want ready with %d", s.Status, s.Parts, most)
		}
		pretend(most + 5)
		download := func(key string) servertest.Answer {
			t.Helper()
			return d.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/recordings/" + d.ID + "/download", Bearer: d.key, Header: http.Header{"Idempotency-Key": {key}}})
		}
		a := download("one")
		var all api.RecordingDownload
		if err := json.Unmarshal(a.Body, &all); err != nil || len(all.Parts) != most+5 {
			t.Errorf("a larger one from before: %d with %d parts, %v; want %d", a.Status, len(all.Parts), err, most+5)
		}
		if len(a.Body) > 3<<20 {
			t.Errorf("the answer has %d bytes", len(a.Body))
		}
		if b := download("one"); !bytes.Equal(b.Body, a.Body) || b.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("again: %d with %d bytes, %v; want the same %d bytes", b.Status, len(b.Body), b.Header, len(a.Body))
		}
		download("two")
		var kept int
		err := d.DB().Read(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT SUM(LENGTH(answer)) FROM idempotency`).Scan(&kept)
		})
		if err != nil || kept > 1000 {
			t.Errorf("two answers are kept in %d bytes, %v", kept, err)
		}
	})
}

// A device may send its parts to any node, and a host may stop it on another.
func TestTwoNodesKeepOneRecording(t *testing.T) {
	t.Parallel()
	d := record(t, dbtest.Config(t, db.PostgreSQL))
	other := d.AnotherNode()
	for number, node := range []*servertest.Service{d.Service, other, d.Service, other} {
		if a := node.Send(d.Part(number, strings.Repeat("a", 100+number))); a.Status != http.StatusOK {
			t.Fatalf("part %d: %d %s", number, a.Status, a.Body)
		}
	}
	if a := other.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/recordings/" + d.ID + "/stop", Bearer: d.Ticket}); a.Status != http.StatusOK {
		t.Fatalf("stop: %d %s", a.Status, a.Body)
	}
	var looks sync.WaitGroup
	for _, node := range []*servertest.Service{d.Service, other} {
		node.Pass(5 * time.Minute)
		looks.Go(func() {
			if err := node.Recordings.Check(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	looks.Wait()
	ready := 0
	for _, e := range d.EventLog() {
		if e.Type == api.EventRecordingReady {
			ready++
		}
	}
	if s := d.state(); ready != 1 || s.Status != "ready" || s.Parts != 4 {
		t.Errorf("%d events say that it is ready; it is %s with %d parts", ready, s.Status, s.Parts)
	}
	a := other.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/recordings/" + d.ID + "/parts/2", Bearer: d.key})
	if len(a.Body) != 102 {
		t.Errorf("another node answers %d, %d bytes", a.Status, len(a.Body))
	}
}

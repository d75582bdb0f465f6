package main_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// device is a recording device.
type device struct {
	t      *testing.T
	host   attendee
	id     string
	secret string
	parts  [][]byte // everything it has recorded
}

// recordIn connects a host, who begins a recording.
func recordIn(t *testing.T, p *process, key string) *device {
	t.Helper()
	d := &device{t: t}
	var r api.Room
	d.ask(p, http.MethodPost, "/api/v1/rooms", key, `{"name": "Weekly"}`, &r)
	d.ask(p, http.MethodPost, "/api/v1/rooms/"+r.ID+"/tokens", key, `{"name": "Grace", "role": "host"}`, &d.host.token)
	t.Cleanup(d.host.goes)
	if err := d.host.comes(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	var seat struct{ Ticket string }
	d.ask(p, http.MethodPost, "/meet/v1/tickets", "", fmt.Sprintf(`{"token": %q}`, d.host.token.Token), &seat)
	var begun struct {
		ID     string `json:"id"`
		Secret string `json:"upload_secret"`
	}
	eventually(t, p, "a recording begins", func() bool {
		status, answer := p.call(http.MethodPost, "/meet/v1/recordings", seat.Ticket, `{"mime_type": "video/mp4", "key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}`)
		return status == http.StatusCreated && json.Unmarshal(answer, &begun) == nil
	})
	d.id, d.secret = begun.ID, begun.Secret
	return d
}

func (d *device) ask(p *process, method, path, bearer, body string, out any) {
	d.t.Helper()
	status, answer := p.call(method, path, bearer, body)
	if err := json.Unmarshal(answer, out); err != nil || status/100 != 2 {
		d.t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
}

// record records this many more parts.
func (d *device) record(parts, size int) {
	random := rand.NewChaCha8([32]byte{byte(len(d.parts))})
	for range parts {
		part := make([]byte, size)
		_, _ = random.Read(part)
		d.parts = append(d.parts, part)
	}
}

// send sends a part, and says whether it was acknowledged. The service may be
// killed meanwhile.
func (d *device) send(p *process, number int) bool {
	part := d.parts[number]
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodPut, fmt.Sprintf("%s/meet/v1/recordings/%s/parts/%d?ends_ms=%d", p.url, d.id, number, number*1000), bytes.NewReader(part))
	if err != nil {
		d.t.Error(err)
		return false
	}
	sum := sha256.Sum256(part)
	req.Header.Set("Authorization", "Bearer "+d.secret)
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	answer, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		d.t.Errorf("part %d: %d %s", number, res.StatusCode, answer)
	}
	return res.StatusCode == http.StatusOK
}

// stored returns how many parts the service has.
func (d *device) stored(p *process) (parts int, status string) {
	d.t.Helper()
	var upload struct {
		Parts  int    `json:"parts"`
		Status string `json:"status"`
	}
	d.ask(p, http.MethodGet, "/meet/v1/recordings/"+d.id+"/upload", d.secret, "", &upload)
	return upload.Parts, upload.Status
}

// kill kills the service as kill -9 does.
func (p *process) kill() {
	p.t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	p.wait()
}

// The service is killed repeatedly while parts arrive. No acknowledged part is
// lost, the device continues where it was, and if the device never returns, the
// stored parts become a recording.
func TestARecordingSurvivesKills(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		_, key := newKey(t, where)
		p := start(t, "serve", where)
		d := recordIn(t, p, key)
		next := 0
		for range 3 {
			acknowledged := make(chan int, 100)
			d.record(30, 300<<10)
			go func() {
				defer close(acknowledged)
				for n := next; n < len(d.parts) && d.send(p, n); n++ {
					acknowledged <- n
				}
			}()
			last := next
			for range 1 + rand.IntN(8) {
				last = <-acknowledged
			}
			p.kill()
			for n := range acknowledged {
				last = n
			}
			p = start(t, "serve", where)
			next, _ = d.stored(p)
			if next < last+1 || next > last+2 {
				t.Fatalf("part %d was acknowledged, and %d parts are stored", last, next)
			}
		}
		if !d.send(p, next-1) || !d.send(p, next) {
			t.Fatalf("the device cannot go on at part %d\n%s", next, p.log)
		}
		d.parts = d.parts[:next+1]
		p.kill()
		passes(t, where, d.id)
		p = start(t, "serve", where)
		eventually(t, p, "the recording is ready", func() bool { _, status := d.stored(p); return status == "ready" })
		d.holds(p, key)
		p.stop()
	})
}

// passes lets six minutes pass since the device was last heard, and since its
// recording ended.
func passes(t *testing.T, where db.Config, recordingID string) {
	t.Helper()
	err := dbtest.Open(t, where).Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE recording SET status = 'processing', heard_at = heard_at - 360000, ended_at = heard_at - 360000, noticed_at = heard_at - 360000 WHERE id = $1`, recordingID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// holds fetches the recording and compares it with what the device has.
func (d *device) holds(p *process, key string) {
	d.t.Helper()
	var download api.RecordingDownload
	d.ask(p, http.MethodPost, "/api/v1/recordings/"+d.id+"/download", key, "", &download)
	if len(download.Parts) != len(d.parts) {
		d.t.Fatalf("the recording has %d parts, want %d", len(download.Parts), len(d.parts))
	}
	for n, part := range d.parts {
		if status, got := p.call(http.MethodGet, fmt.Sprintf("/api/v1/recordings/%s/parts/%d", d.id, n), key, ""); status != http.StatusOK || !bytes.Equal(got, part) {
			d.t.Errorf("part %d: %d, %d bytes, which are not those that were sent", n, status, len(got))
		}
	}
}

// A service that is killed while it deletes the parts of a recording deletes
// the rest after its next start. The key is deleted before the parts.
func TestADeletionSurvivesAKill(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	_, key := newKey(t, where)
	p := start(t, "serve", where)
	d := recordIn(t, p, key)
	d.record(300, 64)
	for n := range d.parts {
		if !d.send(p, n) {
			t.Fatalf("part %d is not stored\n%s", n, p.log)
		}
	}
	left := func() int {
		found, err := filepath.Glob(filepath.Join(where.Dir, "recordings", d.id, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	if left() != len(d.parts) {
		t.Fatalf("%d parts are in the files, want %d: this test looks in the wrong place", left(), len(d.parts))
	}
	if status, answer := p.call(http.MethodDelete, "/api/v1/recordings/"+d.id, key, ""); status != http.StatusOK {
		t.Fatalf("delete: %d %s", status, answer)
	}
	soon(t, patience, "the first part is deleted", func() bool { return left() < len(d.parts) })
	p.kill()
	t.Logf("%d parts were left when the service was killed", left())
	var keys int
	err := dbtest.Open(t, where).Read(t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM recording WHERE sealed_key IS NOT NULL`).Scan(&keys)
	})
	if err != nil || keys != 0 {
		t.Errorf("%d keys are left (%v)", keys, err)
	}
	p = start(t, "serve", where)
	eventually(t, p, "every part is deleted", func() bool { return left() == 0 })
	if status, _ := p.call(http.MethodGet, "/api/v1/recordings/"+d.id, key, ""); status != http.StatusNotFound {
		t.Errorf("the deleted recording answers %d", status)
	}
	if _, err := os.Stat(filepath.Join(where.Dir, "recordings")); err != nil {
		t.Error(err)
	}
	p.stop()
}

package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/blob/blobtest"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// upload is a recording whose device sends the same bytes repeatedly.
type upload struct {
	r       *rig
	client  *http.Client
	id      string
	secret  string
	content []byte
	digest  string
	sent    int
}

// record connects a host to a new room, who begins a recording.
func (r *rig) record(b testing.TB, key, roomID string, partBytes int) *upload {
	b.Helper()
	u := &upload{r: r, client: new(http.Client), content: make([]byte, partBytes)}
	for i := range u.content {
		u.content[i] = byte(i * 7 >> 3)
	}
	sum := sha256.Sum256(u.content)
	u.digest = "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	var token struct{ Token string }
	r.call(b, "POST", "/api/v1/rooms/"+roomID+"/tokens", key, `{"name": "Grace", "role": "host"}`, &token)
	var seat struct{ Ticket string }
	r.call(b, "POST", "/meet/v1/tickets", "", fmt.Sprintf(`{"token": %q}`, token.Token), &seat)
	upstream, _, err := r.Joins.LetThrough(b.Context(), token.Token)
	if err == nil {
		_, err = r.media.Connect(upstream)
	}
	if err == nil {
		_, _, _, err = r.Live.Sync(b.Context(), roomID)
	}
	if err != nil {
		b.Fatal(err)
	}
	var begun struct {
		ID     string `json:"id"`
		Secret string `json:"upload_secret"`
	}
	r.call(b, "POST", "/meet/v1/recordings", seat.Ticket, `{"mime_type": "video/mp4", "key": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"}`, &begun)
	u.id, u.secret = begun.ID, begun.Secret
	return u
}

// send sends the next part.
func (u *upload) send(b testing.TB) {
	url := fmt.Sprintf("http://%s/meet/v1/recordings/%s/parts/%d?ends_ms=%d", u.r.address, u.id, u.sent, u.sent*10)
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPut, url, bytes.NewReader(u.content))
	if err != nil {
		b.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+u.secret)
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("Content-Digest", u.digest)
	u.expect(b, req, nil)
	u.sent++
}

// finish makes the recording ready.
func (u *upload) finish(b testing.TB) {
	b.Helper()
	u.r.call(b, "POST", "/meet/v1/recordings/"+u.id+"/finish", u.secret, fmt.Sprintf(`{"parts": %d}`, u.sent), nil)
}

// fetch fetches a part with an API key.
func (u *upload) fetch(b testing.TB, key string, number int) {
	url := fmt.Sprintf("http://%s/api/v1/recordings/%s/parts/%d", u.r.address, u.id, number)
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		b.Error(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+key)
	u.expect(b, req, u.content)
}

// expect checks the size and digest of an answer against what was sent; nil:
// any answer. It does not keep the bytes.
func (u *upload) expect(b testing.TB, req *http.Request, content []byte) {
	res, err := u.client.Do(req)
	if err != nil {
		b.Error(err)
		return
	}
	defer func() { _ = res.Body.Close() }()
	size, err := io.Copy(io.Discard, res.Body)
	if err != nil || res.StatusCode != http.StatusOK || content != nil && size != int64(len(content)) {
		b.Errorf("%s %s: %d, %d bytes, %v", req.Method, req.URL.Path, res.StatusCode, size, err)
	}
}

// eachStore runs a benchmark with every database and every store.
func eachStore(b *testing.B, run func(b *testing.B, r *rig)) {
	each(b, run)
	b.Run("s3", func(b *testing.B) {
		run(b, startWith(b, dbtest.Config(b, db.SQLite), blobtest.Start(b).Bucket(b, "recordings")))
	})
}

var partSizes = map[string]int{"1MiB": 1 << 20, "8MiB": 8 << 20}

// BenchmarkRecordingUpload sends the parts of one recording one after the
// other, as a device does. "file" only writes the same bytes to a file, with
// the syncs that a file needs to survive a power cut.
func BenchmarkRecordingUpload(b *testing.B) {
	for name, size := range partSizes {
		b.Run("file/"+name, func(b *testing.B) {
			dir, content := b.TempDir(), make([]byte, size)
			b.SetBytes(int64(size))
			for i := range b.N {
				if err := writeDurably(dir, fmt.Sprint(i), content); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	eachStore(b, func(b *testing.B, r *rig) {
		p, key := r.workspace(b)
		for name, size := range partSizes {
			b.Run(name, func(b *testing.B) {
				u := r.record(b, key, r.rooms(b, p, 1), size)
				b.SetBytes(int64(size))
				b.ResetTimer()
				for range b.N {
					u.send(b)
				}
			})
		}
	})
}

func writeDurably(dir, name string, content []byte) error {
	f, err := os.Create(filepath.Join(dir, name+".tmp"))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), filepath.Join(dir, name)); err != nil {
		return err
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}

// BenchmarkRecordingDownload fetches the parts of a recording one after the
// other. "file" only reads such files.
func BenchmarkRecordingDownload(b *testing.B) {
	const parts = 8
	for name, size := range partSizes {
		b.Run("file/"+name, func(b *testing.B) {
			dir := b.TempDir()
			for n := range parts {
				if err := writeDurably(dir, fmt.Sprint(n), make([]byte, size)); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(size))
			b.ResetTimer()
			for i := range b.N {
				f, err := os.Open(filepath.Join(dir, fmt.Sprint(i%parts)))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(struct{ io.Writer }{io.Discard}, f); err != nil {
					b.Fatal(err)
				}
				_ = f.Close()
			}
		})
	}
	eachStore(b, func(b *testing.B, r *rig) {
		p, key := r.workspace(b)
		for name, size := range partSizes {
			b.Run(name, func(b *testing.B) {
				u := r.record(b, key, r.rooms(b, p, 1), size)
				for range parts {
					u.send(b)
				}
				u.finish(b)
				b.SetBytes(int64(size))
				b.ResetTimer()
				for i := range b.N {
					u.fetch(b, key, i%parts)
				}
			})
		}
	})
}

// Two hours of a meeting are uploaded and downloaded, and then the largest
// parts of several recordings at the same time. None of that stays in memory,
// and no part is ever in memory as a whole.
//
//nolint:paralleltest // the heap is that of the whole process
func TestRecordingsNeedNoMemory(t *testing.T) {
	for name, address := range map[string]string{"files": "", "s3": blobtest.Start(t).Bucket(t, "recordings")} {
		t.Run(name, func(t *testing.T) {
			r := startWith(t, dbtest.Config(t, db.SQLite), address)
			p, key := r.workspace(t)
			t.Run("a long one", func(t *testing.T) {
				const parts, size, bound = 720, 64 << 10, 8 << 20
				u := r.record(t, key, r.rooms(t, p, 1), size)
				u.send(t)
				grown, _ := grows(func() {
					for range parts - 1 {
						u.send(t)
					}
					u.finish(t)
					for n := range parts {
						u.fetch(t, key, n)
					}
				})
				t.Logf("the heap grew by %d KiB", grown>>10)
				if grown > bound {
					t.Errorf("after %d parts of %d KiB the heap has %d KiB more than before, of %d at most", parts, size>>10, grown>>10, bound>>10)
				}
			})
			t.Run("large parts at once", func(t *testing.T) {
				const devices, size, bound = 4, 16 << 20, 16 << 20 // of 64 MiB
				all := make([]*upload, devices)
				for i := range all {
					all[i] = r.record(t, key, r.rooms(t, p, 1), size)
					all[i].content = all[0].content
				}
				_, peak := grows(func() {
					var devices sync.WaitGroup
					for _, u := range all {
						devices.Go(func() { u.send(t) })
					}
					devices.Wait()
					for _, u := range all {
						u.finish(t)
						devices.Go(func() { u.fetch(t, key, 0) })
					}
					devices.Wait()
				})
				t.Logf("the heap grew by %d KiB at the most", peak>>10)
				if peak > bound {
					t.Errorf("with %d parts of %d MiB on their way the heap grew by %d MiB, of %d at most", devices, size>>20, peak>>20, bound>>20)
				}
			})
		})
	}
}

// grows returns by how many bytes the heap has grown after f, and the highest
// growth meanwhile.
func grows(f func()) (after, peak int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that garbage counts little
	before := heap()
	var most atomic.Int64
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		var stats runtime.MemStats
		look := time.NewTicker(2 * time.Millisecond)
		defer look.Stop()
		for {
			select {
			case <-done:
				return
			case <-look.C:
				runtime.ReadMemStats(&stats)
				most.Store(max(most.Load(), int64(stats.HeapAlloc)))
			}
		}
	}()
	f()
	close(done)
	<-watched
	return heap() - before, most.Load() - before
}

// heap is how many bytes are in use, garbage aside.
func heap() int64 {
	runtime.GC()
	runtime.GC() // frees what only finalizers held
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

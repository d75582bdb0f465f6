package recording_test

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/blob/blobtest"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/recording"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// recorded starts a service with a key, and a recording of a meeting.
func recorded(t *testing.T, where db.Config, o servertest.Options) (s *servertest.Service, key, recordingID string) {
	t.Helper()
	s, key, roomID := withRoom(t, where, o)
	return s, key, s.RecordedBy(key, roomID)
}

// withRoom starts a service with a key and a room.
func withRoom(t *testing.T, where db.Config, o servertest.Options) (s *servertest.Service, key, roomID string) {
	t.Helper()
	s = servertest.Start(t, where, o)
	key = s.Key(s.Workspace("Acme", "owner@acme.example"), api.Scopes()...)
	a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Weekly"}`})
	_, after, _ := strings.Cut(string(a.Body), `"id":"`)
	var found bool
	roomID, _, found = strings.Cut(after, `"`)
	if !found {
		t.Fatalf("a room: %d %s", a.Status, a.Body)
	}
	return s, key, roomID
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, strings.TrimPrefix(name, dir+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestTheSweepDeletesPiecesWithoutAPart(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		heard := make(warnings, 10)
		s, key, recordingID := recorded(t, where, servertest.Options{Log: heard})
		dir := filepath.Join(where.Dir, "recordings")
		before := filesIn(t, dir)
		if len(before) != 1 {
			t.Fatalf("stored are %q, want one part", before)
		}
		const unknown = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"
		leave := func(name string, age time.Duration) {
			t.Helper()
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(name, time.Time{}, s.Now().Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
		digest := strings.Repeat("ab", 32)
		leave(recordingID+"/000000-"+digest, 25*time.Hour)
		leave(recordingID+"/000007-"+digest+".18ab3f.tmp", 25*time.Hour)
		leave(recordingID+"/000008-"+digest, 24*time.Hour) // not yet
		leave(unknown+"/000000-"+digest, 25*time.Hour)
		leave("notes.txt", 25*time.Hour)
		if err := os.Chtimes(filepath.Join(dir, before[0]), time.Time{}, s.Now().Add(-25*time.Hour)); err != nil {
			t.Fatal(err)
		}

		if err := s.Recordings.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []string{before[0], recordingID + "/000008-" + digest, unknown + "/000000-" + digest, "notes.txt"}
		slices.Sort(want)
		if got := filesIn(t, dir); !slices.Equal(got, want) {
			t.Errorf("stored are\n%q, want\n%q", got, want)
		}
		if said := <-heard; !strings.Contains(said, "does not know") {
			t.Errorf("the log says %q; want that there is something the database does not know", said)
		}

		// A part that arrives while its recording is deleted.
		if a := s.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/recordings/" + recordingID, Bearer: key}); a.Status != http.StatusOK {
			t.Fatalf("delete: %d %s", a.Status, a.Body)
		}
		s.Settle()
		leave(recordingID+"/000001-"+digest, 25*time.Hour)
		if err := s.Recordings.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, want := filesIn(t, dir), []string{unknown + "/000000-" + digest, "notes.txt"}; !slices.Equal(got, want) {
			t.Errorf("after the deletion stored are %q, want %q", got, want)
		}
	})
}

// warnings is a slog handler that reports the messages of warnings.
type warnings chan string

func (w warnings) Enabled(_ context.Context, level slog.Level) bool { return level == slog.LevelWarn }
func (w warnings) WithAttrs([]slog.Attr) slog.Handler               { return w }
func (w warnings) WithGroup(string) slog.Handler                    { return w }
func (w warnings) Handle(_ context.Context, r slog.Record) error    { w <- r.Message; return nil }

func TestARecordingIsKeptInABucketUntilItIsDeleted(t *testing.T) {
	t.Parallel()
	address := blobtest.Start(t).Bucket(t, "recordings") + "&prefix=acme/"
	s, key, recordingID := recorded(t, dbtest.Config(t, db.SQLite), servertest.Options{BlobURL: address})
	bucket, err := blob.Open(t.Context(), blob.Config{URL: address, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bucket.Close() })
	stored := func() (keys []string) {
		for object, err := range bucket.List(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, object.Key)
		}
		return keys
	}
	if keys := stored(); len(keys) != 1 || !strings.HasPrefix(keys[0], recordingID+"/000000-") {
		t.Fatalf("the bucket has %q, want the one part", keys)
	}
	part := servertest.Request{Method: http.MethodGet, Path: "/api/v1/recordings/" + recordingID + "/parts/0", Bearer: key}
	if a := s.Send(part); a.Status != http.StatusOK || string(a.Body) != strings.Repeat("x", 100) {
		t.Errorf("the part: %d, %d bytes; want the 100 that were sent", a.Status, len(a.Body))
	}
	part.Header = http.Header{"Range": {"bytes=90-"}}
	if a := s.Send(part); a.Status != http.StatusPartialContent || string(a.Body) != strings.Repeat("x", 10) {
		t.Errorf("its end: %d, %d bytes; want 206 and 10", a.Status, len(a.Body))
	}
	if a := s.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/recordings/" + recordingID, Bearer: key}); a.Status != http.StatusOK {
		t.Fatalf("delete: %d %s", a.Status, a.Body)
	}
	s.Settle()
	if keys := stored(); len(keys) != 0 {
		t.Errorf("after the deletion the bucket has %q", keys)
	}
}

// A full store ends the recording with the acknowledged parts.
func TestAFullStoreEndsARecording(t *testing.T) {
	t.Parallel()
	store := blobtest.Start(t)
	s, key, roomID := withRoom(t, dbtest.Config(t, db.SQLite), servertest.Options{BlobURL: store.Bucket(t, "recordings")})
	u := s.Record(key, roomID)
	put := func(what string) servertest.Answer {
		return s.Send(servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+u.ID+"/"+what, u.Secret, strings.Repeat(what, 10)))
	}
	if a := put("parts/0?ends_ms=1000"); a.Status != http.StatusOK {
		t.Fatalf("the first part: %d %s", a.Status, a.Body)
	}
	store.Answer(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusInsufficientStorage)
	})
	if a := put("parts/1?ends_ms=2000"); a.Status != http.StatusInsufficientStorage || a.Code() != api.CodeStorageFull {
		t.Errorf("the second part: %d %s; want 507 storage_full", a.Status, a.Body)
	}
	store.Answer(nil)
	if a := put("parts/1?ends_ms=2000"); a.Code() != api.CodeRecordingOver {
		t.Errorf("the second part again: %d %s; want recording_over", a.Status, a.Body)
	}
	a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/recordings/" + u.ID, Bearer: key})
	for _, want := range []string{`"status":"ready"`, `"parts":1`, `"duration_ms":1000`} {
		if !strings.Contains(string(a.Body), want) {
			t.Errorf("the recording is %s; want %s", a.Body, want)
		}
	}
}

// While the store does not answer, parts are refused, but the recording goes on.
func TestAStoreThatFailsKeepsTheRecordingGoing(t *testing.T) {
	t.Parallel()
	store := blobtest.Start(t)
	s, key, roomID := withRoom(t, dbtest.Config(t, db.SQLite), servertest.Options{BlobURL: store.Bucket(t, "recordings")})
	u := s.Record(key, roomID)
	part := servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+u.ID+"/parts/0?ends_ms=1000", u.Secret, strings.Repeat("x", 100))
	store.Answer(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusForbidden)
	})
	if a := s.Send(part); a.Status != http.StatusInternalServerError {
		t.Errorf("a part: %d %s; want 500", a.Status, a.Body)
	}
	store.Answer(nil)
	if a := s.Send(part); a.Status != http.StatusOK || !strings.Contains(string(a.Body), `"status":"recording"`) {
		t.Errorf("the part again: %d %s; want that the recording goes on", a.Status, a.Body)
	}
}

// A bucket that does not answer is not reported as the database. A device that only sends
// its part again meanwhile is not silent.
func TestAStoreThatDoesNotAnswerIsUnavailable(t *testing.T) {
	t.Parallel()
	store := blobtest.Start(t)
	s, key, recordingID := recorded(t, dbtest.Config(t, db.SQLite), servertest.Options{BlobURL: store.Bucket(t, "recordings")})
	var room api.Room
	if err := json.Unmarshal(s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Weekly"}`}).Body, &room); err != nil {
		t.Fatal(err)
	}
	u := s.Record(key, room.ID)
	for what, answer := range map[string]http.HandlerFunc{
		"closes connections": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"is overloaded":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	} {
		store.Answer(answer)
		s.Pass(time.Minute)
		for _, request := range []servertest.Request{
			servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+u.ID+"/parts/0?ends_ms=1000", u.Secret, strings.Repeat("x", 100)),
			{Method: http.MethodGet, Path: "/api/v1/recordings/" + recordingID + "/parts/0", Bearer: key},
		} {
			a := s.Send(request)
			if a.Status != http.StatusServiceUnavailable || a.Code() != api.CodeServiceUnavailable || strings.Contains(string(a.Body), "database") {
				t.Errorf("when the bucket %s, %s: %d %s; want 503 service_unavailable, and nothing of a database", what, request.Path, a.Status, a.Body)
			}
		}
		if s.Count("recording WHERE heard_at >= $1", s.Now().UnixMilli()) != 1 {
			t.Errorf("when the bucket %s, the device was not heard", what)
		}
	}
}

// A device is heard when its part has arrived, also when the bucket then takes longer than
// the device waits.
func TestADeviceWhosePartWaitsForTheStoreIsHeard(t *testing.T) {
	t.Parallel()
	store := blobtest.Start(t)
	s, key, roomID := withRoom(t, dbtest.Config(t, db.SQLite), servertest.Options{BlobURL: store.Bucket(t, "recordings")})
	u := s.Record(key, roomID)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store.Answer(func(_ http.ResponseWriter, r *http.Request) {
		if _, _ = io.Copy(io.Discard, r.Body); r.Method == http.MethodPut {
			cancel()
			<-r.Context().Done()
		}
	})
	s.Pass(time.Minute)
	part := servertest.Bytes(http.MethodPut, "/meet/v1/recordings/"+u.ID+"/parts/0?ends_ms=1000", u.Secret, strings.Repeat("x", 100))
	req, err := s.NewRequest(ctx, part, strings.NewReader(part.Body))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(req); err == nil {
		_ = res.Body.Close()
		t.Fatalf("the part: %d; want no answer", res.StatusCode)
	}
	if s.Count("recording WHERE heard_at >= $1", s.Now().UnixMilli()) != 1 {
		t.Error("the device was not heard")
	}
}

// Revoking a device deletes its name and its keys at once, and its row thirty days later.
func TestARevokedDeviceIsForgotten(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		s.Workspace("Acme", "owner@acme.example")
		account, err := s.Identity.AccountByEmail(t.Context(), "owner@acme.example")
		if err != nil {
			t.Fatal(err)
		}
		kept, err := s.Recordings.Register(t.Context(), account.ID, "Phone", newKey(t))
		if err != nil {
			t.Fatal(err)
		}
		lost, err := s.Recordings.Register(t.Context(), account.ID, "Laptop", newKey(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Recordings.Revoke(t.Context(), account.ID, lost.ID); err != nil {
			t.Fatal(err)
		}
		rows := func(condition string, args ...any) int { return s.Count("recording_device WHERE "+condition, args...) }
		if n := rows("name = 'Laptop'"); n != 0 {
			t.Errorf("%d devices have the name of the revoked one", n)
		}
		s.Pass(30 * 24 * time.Hour)
		s.Forget()
		if n := rows("id = $1", lost.ID); n != 1 {
			t.Errorf("after thirty days it has %d rows, want 1", n)
		}
		s.Pass(time.Millisecond)
		s.Forget()
		if n := rows("id = $1", lost.ID); n != 0 {
			t.Errorf("after more than thirty days it has %d rows, want none", n)
		}
		if n := rows("id = $1", kept.ID); n != 1 {
			t.Errorf("the other device has %d rows, want 1", n)
		}
	})
}

// An account can have fifty devices. Revoking one makes room for another.
func TestTheFiftyFirstDeviceIsRefused(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	s.Workspace("Acme", "owner@acme.example")
	account, err := s.Identity.AccountByEmail(t.Context(), "owner@acme.example")
	if err != nil {
		t.Fatal(err)
	}
	var last recording.Device
	for range 50 {
		if last, err = s.Recordings.Register(t.Context(), account.ID, "Browser", newKey(t)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Recordings.Register(t.Context(), account.ID, "Browser", newKey(t)); !fault.HasCode(err, api.CodeLimitReached) {
		t.Errorf("the 51st: %v; want limit_reached", err)
	}
	if again, err := s.Recordings.Register(t.Context(), account.ID, "Browser", last.PublicKey); err != nil || again.ID != last.ID {
		t.Errorf("the 50th again: %+v, %v; want the same", again, err)
	}
	if err := s.Recordings.Revoke(t.Context(), account.ID, last.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recordings.Register(t.Context(), account.ID, "Browser", newKey(t)); err != nil {
		t.Errorf("with one revoked: %v", err)
	}
}

// newKey makes the public key of a device.
func newKey(t *testing.T) string {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
}

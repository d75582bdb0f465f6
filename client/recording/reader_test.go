package recording

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

const recordingID = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"

// played is an imitation of a service with one recording.
type played struct {
	key   []byte
	parts [][]byte
	file  []byte
	// failures answer the first requests, one each, in place of the service.
	failures []http.HandlerFunc
	// change changes the answer of download.
	change func(*api.RecordingDownload)
	asked  []string
}

func newPlayed(t *testing.T, texts ...string) *played {
	t.Helper()
	s := &played{key: bytes.Repeat([]byte{3}, KeyBytes)}
	block, err := aes.NewCipher(s.key)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		iv := bytes.Repeat([]byte{byte(i)}, ivBytes)
		s.parts = append(s.parts, gcm.Seal(iv, iv, []byte(text), fmt.Appendf(nil, "service-recording:%s:%d", recordingID, i)))
		s.file = append(s.file, text...)
	}
	return s
}

func (s *played) client() Client {
	return Client{BaseURL: "https://meet.example.com/", Key: "svc_test_key", HTTP: &http.Client{Transport: s}}
}

// RoundTrip answers without a network, so that tests can use a fake clock.
func (s *played) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, r.Method+" "+r.URL.String())
	w := httptest.NewRecorder()
	switch {
	case len(s.failures) > 0:
		fail := s.failures[0]
		s.failures = s.failures[1:]
		fail(w, r)
		if w.Code == hungUp {
			return nil, errors.New("connection reset by peer")
		}
	case r.Header.Get("Authorization") != "Bearer svc_test_key":
		refuse(http.StatusUnauthorized, "api_key_invalid", "The API key is not valid.")(w, r)
	default:
		s.answer(w, r)
	}
	answer := w.Result()
	if cut := answer.Header.Get("Cut"); cut != "" {
		n, _ := strconv.Atoi(cut)
		answer.Body = io.NopCloser(io.MultiReader(io.LimitReader(answer.Body, int64(n)), iotest.ErrReader(io.ErrUnexpectedEOF)))
	}
	return answer, nil
}

// hungUp stands for a connection that ended without an answer.
const hungUp = 999

func refuse(status int, code, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(api.ErrorResponse{Error: api.Error{Code: code, Message: message}})
	}
}

func (s *played) answer(w http.ResponseWriter, r *http.Request) {
	path, ours := strings.CutPrefix(r.URL.Path, "/api/v1/recordings/"+recordingID+"/")
	if place, isPart := strings.CutPrefix(path, "parts/"); ours && isPart && r.Method == http.MethodGet {
		if i, err := strconv.Atoi(place); err == nil && i < len(s.parts) && s.parts[i] != nil {
			_, _ = w.Write(s.parts[i])
			return
		}
	}
	if !ours || path != "download" || r.Method != http.MethodPost {
		refuse(http.StatusNotFound, "not_found", "There is no such recording or part.")(w, r)
		return
	}
	d := api.RecordingDownload{
		Object: "recording.download", ID: recordingID, MIMEType: "video/mp4", Bytes: 0,
		Encryption: api.RecordingEncryption{Algorithm: "AES-256-GCM", Key: base64.RawURLEncoding.EncodeToString(s.key), KeyEncoding: "base64url", IVBytes: 12},
	}
	for i, part := range s.parts {
		d.Parts = append(d.Parts, api.RecordingPart{Index: i, URL: "https://elsewhere.example.com/" + strconv.Itoa(i)})
		d.Bytes += int64(len(part))
	}
	if s.change != nil {
		s.change(&d)
	}
	_ = json.NewEncoder(w).Encode(d)
}

func TestReader(t *testing.T) {
	t.Parallel()
	s := newPlayed(t, "the first part, ", "", "the third", strings.Repeat(" and more", 5000))
	r, err := s.client().Open(t.Context(), recordingID)
	if err != nil {
		t.Fatal(err)
	}
	if r.MIMEType != "video/mp4" || r.Size != int64(len(s.file)) || r.Parts != 4 {
		t.Errorf("the recording is %s with %d bytes in %d parts; want video/mp4, %d, 4", r.MIMEType, r.Size, r.Parts, len(s.file))
	}
	if err := iotest.TestReader(r, s.file); err != nil {
		t.Error(err)
	}
	for _, asked := range s.asked {
		if !strings.Contains(asked, " https://meet.example.com/api/v1/recordings/") {
			t.Errorf("the key was sent to %s", asked)
		}
	}
}

// A part that is not what was recorded ends the reading. The error names the part, and
// what was read before consists of whole parts.
func TestReaderStopsAtADamagedPart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		harm func(*played)
		part int
		want error
	}{
		{"a changed part", func(s *played) { s.parts[1][20] ^= 1 }, 1, ErrDamaged},
		{"a truncated part", func(s *played) { s.parts[2] = s.parts[2][:len(s.parts[2])-3] }, 2, ErrDamaged},
		{"an empty part", func(s *played) { s.parts[2] = []byte{} }, 2, ErrDamaged},
		{"two parts swapped", func(s *played) { s.parts[0], s.parts[1] = s.parts[1], s.parts[0] }, 0, ErrDamaged},
		{"a part in two places", func(s *played) { s.parts[2] = s.parts[1] }, 2, ErrDamaged},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newPlayed(t, "one ", "two ", "three ")
			r, err := s.client().Open(t.Context(), recordingID)
			if err != nil {
				t.Fatal(err)
			}
			c.harm(s)
			got, err := io.ReadAll(r)
			part, which := errors.AsType[*PartError](err)
			if !errors.Is(err, c.want) || !which || part.Index != c.part {
				t.Errorf("reading ended with %v; want %v in part %d", err, c.want, c.part)
			}
			if want := strings.Join([]string{"one ", "two ", "three "}[:c.part], ""); string(got) != want {
				t.Errorf("read %q, want %q", got, want)
			}
			if _, again := r.Read(make([]byte, 1)); !errors.Is(again, err) {
				t.Errorf("reading on ends with %v; want the same error", again)
			}
		})
	}
}

func TestReaderNamesAMissingPart(t *testing.T) {
	t.Parallel()
	s := newPlayed(t, "one", "two", "three")
	s.parts[1] = nil
	r, err := s.client().Open(t.Context(), recordingID)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(r)
	part, which := errors.AsType[*PartError](err)
	refusal, refused := errors.AsType[*RefusedError](err)
	if !which || part.Index != 1 || !refused || refused && (refusal.Status != http.StatusNotFound || refusal.Code != "not_found") {
		t.Errorf("a part that is not there: %v; want not_found in part 1", err)
	}

	s = newPlayed(t, "one", "two", "three")
	s.change = func(d *api.RecordingDownload) { d.Parts = append(d.Parts[:1], d.Parts[2:]...) }
	if _, err := s.client().Open(t.Context(), recordingID); err == nil || !strings.Contains(err.Error(), "part 1") {
		t.Errorf("a part that is not listed: %v; want an error about part 1", err)
	}

	s = newPlayed(t, "one", "two", "three")
	s.change = func(d *api.RecordingDownload) { d.Parts = d.Parts[:2] }
	if r, err = s.client().Open(t.Context(), recordingID); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); !errors.Is(err, ErrIncomplete) {
		t.Errorf("a list that ends early: %v; want %v", err, ErrIncomplete)
	}
}

func TestReadPart(t *testing.T) {
	t.Parallel()
	s := newPlayed(t, "one", "two", "three")
	r, err := s.client().Open(t.Context(), recordingID)
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := r.ReadPart(t.Context(), 2); err != nil || string(plain) != "three" {
		t.Errorf("part 2 is %q, %v", plain, err)
	}
	for _, index := range []int{-1, 3} {
		if _, err := r.ReadPart(t.Context(), index); err == nil {
			t.Errorf("part %d of three can be read", index)
		}
	}
	if file, err := io.ReadAll(r); err != nil || string(file) != "onetwothree" {
		t.Errorf("the file is %q, %v", file, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*api.RecordingDownload){
		"another algorithm":    func(d *api.RecordingDownload) { d.Encryption.Algorithm = "AES-512" },
		"another IV":           func(d *api.RecordingDownload) { d.Encryption.IVBytes = 16 },
		"another encoding":     func(d *api.RecordingDownload) { d.Encryption.KeyEncoding = "hex" },
		"an invalid key":       func(d *api.RecordingDownload) { d.Encryption.Key = "#" },
		"a key that is short":  func(d *api.RecordingDownload) { d.Encryption.Key = "AAAA" },
		"parts without part 0": func(d *api.RecordingDownload) { d.Parts = d.Parts[1:] },
	} {
		s := newPlayed(t, "one", "two")
		s.change = change
		if _, err := s.client().Open(t.Context(), recordingID); err == nil {
			t.Errorf("%s: a recording was opened", name)
		}
	}
}

// A request is sent again when it did not arrive or the service was busy, but not when it
// was refused.
func TestARequestIsSentAgainUnlessItWasRefused(t *testing.T) {
	t.Parallel()
	hangUp := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(hungUp) }
	busy := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "7")
		refuse(http.StatusTooManyRequests, "rate_limited", "Wait.")(w, r)
	}
	stuck := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "86400")
		refuse(http.StatusServiceUnavailable, "", "")(w, r)
	}
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cut", "3")
		_, _ = w.Write([]byte("half of an answer"))
	}
	large := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 16<<20+1)) }
	for _, c := range []struct {
		name     string
		failures []http.HandlerFunc
		opens    bool
		asked    int
		takes    time.Duration
	}{
		{"at once", nil, true, 1, 0},
		{"after a connection that ended", []http.HandlerFunc{hangUp}, true, 2, time.Second},
		{"after half of an answer", []http.HandlerFunc{cut}, true, 2, time.Second},
		{"after a service that was busy", []http.HandlerFunc{busy}, true, 2, 7 * time.Second},
		{"after one that asks for a day", []http.HandlerFunc{stuck}, true, 2, time.Minute},
		{"after four failures", []http.HandlerFunc{hangUp, hangUp, hangUp, hangUp}, true, 5, 15 * time.Second},
		{"never, after five", []http.HandlerFunc{hangUp, hangUp, hangUp, hangUp, hangUp}, false, 5, 15 * time.Second},
		{"never, because it is refused", []http.HandlerFunc{refuse(http.StatusConflict, "recording_end_to_end", "It is encrypted.")}, false, 1, 0},
		{"never, because the answer has no end", []http.HandlerFunc{large}, false, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newPlayed(t, "one")
				s.failures = c.failures
				began := time.Now()
				_, err := s.client().Open(t.Context(), recordingID)
				if (err == nil) != c.opens || len(s.asked) != c.asked || time.Since(began) != c.takes {
					t.Errorf("after %d requests and %v: %v; want %d, %v, opened %v", len(s.asked), time.Since(began), err, c.asked, c.takes, c.opens)
				}
			})
		})
	}
}

func TestARefusalSaysWhy(t *testing.T) {
	t.Parallel()
	s := newPlayed(t, "one")
	s.failures = []http.HandlerFunc{refuse(http.StatusConflict, "recording_end_to_end", "Members play it in the browser.")}
	_, err := s.client().Open(t.Context(), recordingID)
	refusal, refused := errors.AsType[*RefusedError](err)
	if !refused || refusal.Status != http.StatusConflict || refusal.Code != "recording_end_to_end" || !strings.Contains(err.Error(), "Members play it in the browser.") {
		t.Errorf("the error is %v", err)
	}
}

func TestOpenEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newPlayed(t, "one")
		s.failures = []http.HandlerFunc{refuse(http.StatusServiceUnavailable, "", "")}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		began := time.Now()
		if _, err := s.client().Open(ctx, recordingID); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 300*time.Millisecond {
			t.Errorf("after %v: %v; want %v at once", time.Since(began), err, context.DeadlineExceeded)
		}
	})
}

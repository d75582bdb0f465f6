package blob_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/blob/blobtest"
)

func TestS3(t *testing.T) {
	t.Parallel()
	server := blobtest.Start(t)
	var buckets atomic.Int64
	exercise(t, func(t *testing.T) *blob.Store {
		t.Helper()
		return openS3(t, server.Bucket(t, fmt.Sprintf("bucket-%d", buckets.Add(1))))
	})
}

func openS3(t *testing.T, address string) *blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), blob.Config{URL: address, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestABucketThatIsNotThereIsNotReady(t *testing.T) {
	t.Parallel()
	s := openS3(t, blobtest.Start(t).Address("nowhere"))
	if s.Ready(t.Context()) == nil {
		t.Error("a store without its bucket says that it is ready")
	}
}

// The various errors of servers that are full become one error here.
func TestAFullServerIsErrFull(t *testing.T) {
	t.Parallel()
	server := blobtest.Start(t)
	s := openS3(t, server.Bucket(t, "bucket"))
	for name, answer := range map[string]struct {
		status int
		code   string
	}{
		"versitygw, Ceph": {http.StatusForbidden, "QuotaExceeded"},
		"MinIO":           {http.StatusInsufficientStorage, "XMinioStorageFull"},
		"a quota there":   {http.StatusBadRequest, "XMinioAdminBucketQuotaExceeded"},
		"by its status":   {http.StatusInsufficientStorage, "Other"},
	} {
		server.Answer(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(answer.status)
			fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no room</Message></Error>", answer.code)
		})
		for _, size := range []int{1, 6 << 20} {
			_, err := s.Put(t.Context(), "a/b", strings.NewReader(string(pattern(size))))
			if !errors.Is(err, blob.ErrFull) {
				t.Errorf("%s, %d bytes: %v; want ErrFull", name, size, err)
			}
		}
	}
	server.Answer(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
	})
	if _, err := s.Put(t.Context(), "a/b", strings.NewReader("x")); err == nil || errors.Is(err, blob.ErrFull) || errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a server that denies access: %v; want another error", err)
	}
	server.Answer(nil)
	want(t, s, map[string]string{})
}

// A server that has too many requests, or got one too slowly, may take the same one later.
func TestABusyServerIsErrNoAnswer(t *testing.T) {
	t.Parallel()
	server := blobtest.Start(t)
	s := openS3(t, server.Bucket(t, "bucket"))
	for _, answer := range []struct {
		status int
		code   string
		want   bool
	}{
		{http.StatusServiceUnavailable, "SlowDown", true},
		{http.StatusBadRequest, "SlowDown", true},
		{http.StatusBadRequest, "RequestTimeout", true},
		{http.StatusTooManyRequests, "Other", true},
		{http.StatusRequestTimeout, "Other", true},
		{http.StatusBadRequest, "Other", false},
		{http.StatusForbidden, "AccessDenied", false},
	} {
		server.Answer(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(answer.status)
			fmt.Fprintf(w, "<Error><Code>%s</Code><Message>no</Message></Error>", answer.code)
		})
		if _, err := s.Put(t.Context(), "a/b", strings.NewReader("x")); err == nil || errors.Is(err, blob.ErrNoAnswer) != answer.want {
			t.Errorf("%d %s: %v; want ErrNoAnswer: %v", answer.status, answer.code, err, answer.want)
		}
	}
}

func TestAnAddressIsRefused(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"file:///tmp", "mem://", "s3://", "https://bucket.s3.amazonaws.com", "s3://bucket?region=us-east-1&colour=blue", "s3://bucket?region=us-east-1&endpoint=%zz"} {
		if s, err := blob.Open(t.Context(), blob.Config{URL: address, Dir: t.TempDir()}); err == nil {
			_ = s.Close()
			t.Errorf("%s is taken", address)
		}
	}
}

func TestATemporaryFailureIsTriedAgain(t *testing.T) {
	t.Parallel()
	server := blobtest.Start(t)
	s := openS3(t, server.Bucket(t, "bucket"))
	server.Answer(func(w http.ResponseWriter, _ *http.Request) {
		server.Answer(nil)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	put(t, s, "a/b", "x")
	want(t, s, map[string]string{"a/b": "x"})
}

// A bucket refuses requests whose time is an hour off. The library learns from the
// refusal what time it is there.
func TestABucketWithAnotherClockIsUsed(t *testing.T) {
	t.Parallel()
	server := blobtest.Start(t)
	s := openS3(t, server.Bucket(t, "bucket"))
	for _, ahead := range []time.Duration{time.Hour, -time.Hour} {
		var refused, taken atomic.Int64
		server.Answer(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			there := time.Now().Add(ahead)
			w.Header().Set("Date", there.UTC().Format(http.TimeFormat))
			signed, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
			if err != nil || there.Sub(signed).Abs() > 15*time.Minute {
				refused.Add(1)
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, "<Error><Code>RequestTimeTooSkewed</Code><Message>no</Message></Error>")
				return
			}
			taken.Add(1)
		})
		for range 3 {
			if _, err := s.Put(t.Context(), "a/b", strings.NewReader("x")); err != nil {
				t.Errorf("a bucket whose clock is ahead by %v: %v", ahead, err)
			}
		}
		if refused.Load() != 1 || taken.Load() != 3 {
			t.Errorf("a bucket whose clock is ahead by %v refused %d requests and took %d, want 1 and 3", ahead, refused.Load(), taken.Load())
		}
	}
}

// A server that takes requests and does not answer keeps nobody waiting for ever: the
// background work that deletes and lists has no other time limit.
func TestAServerThatDoesNotAnswerIsGivenUp(t *testing.T) {
	t.Parallel()
	server := blobtest.Start(t)
	s := openS3(t, server.Bucket(t, "bucket"))
	put(t, s, "a/b", "x")
	s.Hurry()
	server.Answer(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	for what, ask := range map[string]func() error{
		"storing":      func() error { _, err := s.Put(t.Context(), "a/c", strings.NewReader("y")); return err },
		"deleting":     func() error { return s.Delete(t.Context(), "a/b") },
		"deleting all": func() error { return s.DeleteAll(t.Context(), "a/") },
	} {
		ended := make(chan error, 1)
		go func() { ended <- ask() }()
		select {
		case err := <-ended:
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s ended with %v", what, err)
			}
		case <-time.After(30 * time.Second):
			t.Errorf("%s does not end", what)
		}
	}
	server.Answer(nil)
	want(t, s, map[string]string{"a/b": "x"})
}

// A server that stops in the middle of a piece, or before it, does not keep its reader
// waiting for ever.
func TestAReaderGivesUpAServerThatStops(t *testing.T) {
	t.Parallel()
	server := blobtest.Start(t)
	s := openS3(t, server.Bucket(t, "bucket"))
	put(t, s, "a/b", "0123456789")
	s.Hurry()
	read := func(from int64) (string, error) {
		r, err := s.Get(t.Context(), "a/b")
		if err != nil {
			return "", err
		}
		defer func() { _ = r.Close() }()
		if _, err := r.Seek(from, io.SeekStart); err != nil {
			return "", err
		}
		content, err := io.ReadAll(r)
		return string(content), err
	}
	stops := func(after string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if after != "" {
				w.Header().Set("Content-Length", "10")
				_, _ = io.WriteString(w, after)
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		}
	}
	for _, c := range []struct {
		what, sent string
		from       int64
		want       string
	}{
		{"before its answer", "", 0, ""},
		{"in the middle", "012", 0, "012"},
		{"in the middle of the rest", "345", 3, "345"},
	} {
		server.Answer(stops(c.sent))
		ended := make(chan error, 1)
		go func() {
			got, err := read(c.from)
			if got != c.want {
				t.Errorf("%s: %q was read, want %q", c.what, got, c.want)
			}
			ended <- err
		}()
		select {
		case err := <-ended:
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: reading ended with %v", c.what, err)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("%s: reading does not end", c.what)
		}
	}
	server.Answer(nil)
	if got, err := read(4); got != "456789" || err != nil {
		t.Errorf("the server goes on, and the end is %q, %v", got, err)
	}
}

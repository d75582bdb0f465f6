package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/blob"
)

// exercise checks that a store does what the package promises. Every call of
// open returns an empty store.
func exercise(t *testing.T, open func(t *testing.T) *blob.Store) {
	for name, test := range map[string]func(*testing.T, *blob.Store){
		"what is put is got":                         putAndGet,
		"put replaces":                               putReplaces,
		"what is not there is not found":             notFound,
		"a part of a piece is read":                  seek,
		"a source that fails leaves nothing":         failedPut,
		"a put that is cancelled leaves nothing":     cancelledPut,
		"a put whose context is over stores nothing": latePut,
		"a failed put leaves what was there":         failedReplacement,
		"a list gives what a prefix covers":          list,
		"a list can be left":                         leaveList,
		"everything below a prefix is deleted":       deleteAll,
		"a name that is not a key is refused":        badKeys,
		"a store can be asked whether it is ready":   ready,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func putAndGet(t *testing.T, s *blob.Store) {
	for name, size := range map[string]int{"empty": 0, "small": 1, "large": 11 << 20} { // large: more than any buffer
		content := pattern(size)
		stored, err := s.Put(t.Context(), "a/"+name, bytes.NewReader(content))
		if err != nil || stored != int64(size) {
			t.Fatalf("put %s: %d, %v; want %d", name, stored, err, size)
		}
		r, err := s.Get(t.Context(), "a/"+name)
		if err != nil {
			t.Fatalf("get %s: %v", name, err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, content) || r.Size() != int64(size) {
			t.Errorf("%s: got %d bytes, size %d, %v; want the %d that were put", name, len(got), r.Size(), err, size)
		}
		if err := r.Close(); err != nil {
			t.Errorf("close %s: %v", name, err)
		}
	}
}

func putReplaces(t *testing.T, s *blob.Store) {
	put(t, s, "a/b", "first, and longer")
	put(t, s, "a/b", "second")
	want(t, s, map[string]string{"a/b": "second"})
}

func notFound(t *testing.T, s *blob.Store) {
	put(t, s, "a/b", "x")
	for _, key := range []string{"c", "a", "a/c"} {
		if _, err := s.Get(t.Context(), key); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("get %s: %v; want ErrNotFound", key, err)
		}
	}
	for _, key := range []string{"c", "a/c"} {
		if err := s.Delete(t.Context(), key); err != nil {
			t.Errorf("delete %s, which is not there: %v", key, err)
		}
	}
	want(t, s, map[string]string{"a/b": "x"})
}

func seek(t *testing.T, s *blob.Store) {
	put(t, s, "a", "0123456789")
	r, err := s.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if end, err := r.Seek(0, io.SeekEnd); err != nil || end != 10 {
		t.Errorf("the end is at %d, %v; want 10", end, err)
	}
	for _, c := range []struct {
		offset int64
		want   string
	}{{6, "6789"}, {0, "0123456789"}, {9, "9"}, {10, ""}} {
		if _, err := r.Seek(c.offset, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != c.want {
			t.Errorf("from %d: %q, %v; want %q", c.offset, got, err, c.want)
		}
	}
}

var errSource = errors.New("the device is gone")

// failing reads size bytes and then fails.
func failing(size int) io.Reader {
	return io.MultiReader(bytes.NewReader(pattern(size)), readFunc(func([]byte) (int, error) { return 0, errSource }))
}

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

func failedPut(t *testing.T, s *blob.Store) {
	for _, size := range []int{0, 100, 6 << 20} { // at once, early and late
		if _, err := s.Put(t.Context(), "a/b", failing(size)); !errors.Is(err, errSource) {
			t.Errorf("put: %v; want the error of the source", err)
		}
		want(t, s, map[string]string{})
	}
}

func cancelledPut(t *testing.T, s *blob.Store) {
	for _, size := range []int{0, 100, 6 << 20} {
		ctx, cancel := context.WithCancel(t.Context())
		content := io.MultiReader(bytes.NewReader(pattern(size)), readFunc(func(p []byte) (int, error) {
			cancel()
			return copy(p, "more"), io.EOF
		}))
		if _, err := s.Put(ctx, "a/b", content); !errors.Is(err, context.Canceled) {
			t.Errorf("put: %v; want context.Canceled", err)
		}
		want(t, s, map[string]string{})
	}
}

func latePut(t *testing.T, s *blob.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, "a/b", strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v; want context.Canceled", err)
	}
	want(t, s, map[string]string{})
}

func failedReplacement(t *testing.T, s *blob.Store) {
	put(t, s, "a/b", "first")
	if _, err := s.Put(t.Context(), "a/b", failing(6<<20)); !errors.Is(err, errSource) {
		t.Errorf("put: %v; want the error of the source", err)
	}
	want(t, s, map[string]string{"a/b": "first"})
}

func list(t *testing.T, s *blob.Store) {
	before := time.Now().Add(-time.Minute)
	for _, key := range []string{"top", "a/1", "a/b/2", "ab/3"} {
		put(t, s, key, key)
	}
	for prefix, keys := range map[string][]string{"": {"a/1", "a/b/2", "ab/3", "top"}, "a/": {"a/1", "a/b/2"}, "a/b/": {"a/b/2"}, "c/": nil} {
		var got []string
		for object, err := range s.List(t.Context(), prefix) {
			if err != nil {
				t.Fatalf("list %q: %v", prefix, err)
			}
			if object.Size != int64(len(object.Key)) || object.ModTime.Before(before) {
				t.Errorf("list %q: got %+v; want its size and when it was stored", prefix, object)
			}
			got = append(got, object.Key)
		}
		slices.Sort(got)
		if !slices.Equal(got, keys) {
			t.Errorf("list %q: got %q, want %q", prefix, got, keys)
		}
	}
	for _, prefix := range []string{"a", "/", "../", "A/"} {
		for object, err := range s.List(t.Context(), prefix) {
			if err == nil {
				t.Errorf("list %q: got %+v; want an error", prefix, object)
			}
		}
	}
}

func leaveList(t *testing.T, s *blob.Store) {
	put(t, s, "a/1", "x")
	put(t, s, "a/2", "x")
	seen := 0
	for range s.List(t.Context(), "") {
		seen++
		break
	}
	if seen != 1 {
		t.Errorf("saw %d, want 1", seen)
	}
}

func deleteAll(t *testing.T, s *blob.Store) {
	for _, key := range []string{"a/1", "a/b/2", "ab/3"} {
		put(t, s, key, "x")
	}
	for range 2 { // the second time there is nothing
		if err := s.DeleteAll(t.Context(), "a/"); err != nil {
			t.Fatal(err)
		}
		want(t, s, map[string]string{"ab/3": "x"})
	}
	put(t, s, "a/1", "again")
	want(t, s, map[string]string{"ab/3": "x", "a/1": "again"})
}

func badKeys(t *testing.T, s *blob.Store) {
	for _, key := range []string{"", "/a", "a/", "a//b", "../a", "a/../b", ".a", "A", "a b", "a\x00", "ä", "a\\b", "a/b/c/d/e", strings.Repeat("a", 129)} {
		if _, err := s.Put(t.Context(), key, strings.NewReader("x")); err == nil {
			t.Errorf("put %q: no error", key)
		}
		if _, err := s.Get(t.Context(), key); err == nil {
			t.Errorf("get %q: no error", key)
		}
	}
	want(t, s, map[string]string{})
}

func ready(t *testing.T, s *blob.Store) {
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// put stores a text.
func put(t *testing.T, s *blob.Store, key, content string) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(content)); err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
}

// want compares everything that is stored.
func want(t *testing.T, s *blob.Store, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for object, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Get(t.Context(), object.Key)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		got[object.Key] = string(content)
	}
	if len(got) != len(want) {
		t.Errorf("stored are %d pieces, want %d: %.200q", len(got), len(want), got)
	}
	for key, content := range want {
		if got[key] != content {
			t.Errorf("%s holds %.100q, want %q", key, got[key], content)
		}
	}
}

// pattern makes content in which no two places look alike.
func pattern(size int) []byte {
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return content
}

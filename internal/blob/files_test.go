package blob_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/conclave-rooms/conclave/internal/blob"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	exercise(t, func(t *testing.T) *blob.Store {
		t.Helper()
		s, _ := openFiles(t)
		return s
	})
}

func openFiles(t *testing.T) (*blob.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "recordings")
	s, err := blob.Open(t.Context(), blob.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, dir
}

func TestFilesAreForTheServiceOnly(t *testing.T) {
	t.Parallel()
	s, dir := openFiles(t)
	put(t, s, "a/b", "x")
	for _, name := range []string{dir, filepath.Join(dir, "a")} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v; want a directory of the service only", name, info.Mode(), err)
		}
	}
}

// A service that is killed while it stores a piece leaves a temporary file.
func TestTemporaryFilesOfAKilledServiceAreListedAndDeleted(t *testing.T) {
	t.Parallel()
	s, dir := openFiles(t)
	put(t, s, "a/b", "whole")
	if err := os.WriteFile(filepath.Join(dir, "a", "c.18ab3f00aa11bb22.tmp"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, s, map[string]string{"a/b": "whole", "a/c.18ab3f00aa11bb22.tmp": "half"})
	if err := s.DeleteAll(t.Context(), "a/"); err != nil {
		t.Fatal(err)
	}
	want(t, s, map[string]string{})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v; want no directory either", left, err)
	}
}

func TestListLeavesOutOtherFiles(t *testing.T) {
	t.Parallel()
	s, dir := openFiles(t)
	if err := os.WriteFile(filepath.Join(dir, ".keep"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, s, map[string]string{})
}

func TestADirectoryThatIsGoneIsNotReady(t *testing.T) {
	t.Parallel()
	s, dir := openFiles(t)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if s.Ready(t.Context()) == nil {
		t.Error("a store without its directory says that it is ready")
	}
}

// The directory may be a link to another disk.
func TestADirectoryBehindALinkIsListed(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "recordings")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	s, err := blob.Open(t.Context(), blob.Config{Dir: link})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	put(t, s, "a/b", "x")
	want(t, s, map[string]string{"a/b": "x"})
}

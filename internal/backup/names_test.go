package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// The names of all directories that a backup makes are synced, where that is possible.
func TestNamesOfNewDirectories(t *testing.T) {
	t.Parallel()
	there := t.TempDir()
	dir := filepath.Join(there, "a", "b")
	for _, want := range [][]string{{filepath.Join(there, "a"), there}, {filepath.Join(there, "a")}} {
		if got := namedIn(dir); !slices.Equal(got, want) {
			t.Errorf("the names are in %q, want %q", got, want)
		}
		if err := emptyDir(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{syscall.EACCES, true},
		{syscall.EINVAL, true},
		{syscall.ENOTSUP, true},
		{syscall.EIO, false},
		{syscall.ENOSPC, false},
	} {
		err := fmt.Errorf("sync a directory: %w", errors.Join(&os.PathError{Op: "sync", Path: dir, Err: c.err}, nil))
		if got := maySkip(err); got != c.want {
			t.Errorf("%v may be skipped: %v, want %v", err, got, c.want)
		}
	}
}

// A backup may be on a file system that does not sync directories, as some on networks do
// not.
func TestDirectoriesThatCannotBeSynced(t *testing.T) {
	t.Parallel()
	const dir = "/proc/self/ns" // Linux: it is there, and has no disk
	if err := syncDir(dir); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		t.Skipf("this system has no such directory: %v", err)
	}
	if err := syncDirs(dir); err != nil {
		t.Errorf("a directory that cannot be synced: %v", err)
	}
	if err := syncDirs(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is missing: %v", err)
	}
}

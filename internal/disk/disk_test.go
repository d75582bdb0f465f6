package disk

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

// The names of all directories that MakeDir makes are synced.
func TestNamesOfNewDirectories(t *testing.T) {
	t.Parallel()
	there := t.TempDir()
	a := filepath.Join(there, "a")
	for _, c := range []struct {
		dir    string
		synced []string
	}{
		{filepath.Join(a, "b"), []string{a, there}},
		{filepath.Join(a, "b"), []string{a}}, // the process that made it may have been killed before it synced
		{filepath.Join(a, "c") + "/", []string{a}},
	} {
		var synced []string
		err := makeDir(c.dir, func(dir string) error {
			synced = append(synced, dir)
			return Sync(dir)
		})
		if err != nil || !slices.Equal(synced, c.synced) {
			t.Errorf("making %s synced %q (%v), want %q", c.dir, synced, err, c.synced)
		}
		if info, err := os.Stat(c.dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %+v (%v), want a directory for this user only", c.dir, info, err)
		}
	}
	if err := makeDir(filepath.Join(a, "d"), func(string) error { return syscall.EIO }); !errors.Is(err, syscall.EIO) {
		t.Errorf("a name that cannot be written: %v", err)
	}
}

// A directory may lie on a file system that cannot sync directories, such as some network
// file systems, or belong to another user.
func TestDirectoriesThatCannotBeSynced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{syscall.EACCES, true},
		{syscall.EINVAL, true},
		{syscall.ENOTSUP, true},
		{syscall.EIO, false},
		{syscall.ENOSPC, false},
		{syscall.ENOENT, false},
	} {
		err := fmt.Errorf("sync a directory: %w", errors.Join(&os.PathError{Op: "sync", Path: "dir", Err: c.err}, nil))
		if got := impossible(err); got != c.want {
			t.Errorf("%v makes it impossible: %v, want %v", err, got, c.want)
		}
	}
	if err := Sync(filepath.Join(t.TempDir(), "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is missing: %v", err)
	}
	if err := Sync("/proc/self/ns"); err != nil && !errors.Is(err, fs.ErrNotExist) { // Linux: it is there, and has no disk
		t.Errorf("a directory that cannot be synced: %v", err)
	}
}

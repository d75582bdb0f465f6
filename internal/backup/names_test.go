package backup

import (
	"errors"
	"fmt"
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

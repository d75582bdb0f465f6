// Package disk writes the names of files and directories to the disk. A file that was
// synced is there after a power cut, but has its name only if the directory was synced too.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// MakeDir makes a directory, and the missing ones above it, for this user only. Afterwards
// their names are on the disk, and the name of dir in any case, if Sync can write them.
func MakeDir(dir string) error { return makeDir(dir, Sync) }

func makeDir(dir string, sync func(dir string) error) error {
	above := namedIn(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil { //nolint:forbidigo // this is where directories are made
		return err //nolint:wrapcheck // the callers say what the directory is for
	}
	for _, name := range above {
		if err := sync(name); err != nil {
			return err
		}
	}
	return nil
}

// namedIn lists the directories that hold the names of a directory and of the missing
// ones above it. The directory that holds dir's own name is always among them: if dir
// exists, the process that made it may have been killed before it synced the name.
func namedIn(dir string) (names []string) {
	for dir = filepath.Clean(dir); ; {
		dir = filepath.Dir(dir)
		names = append(names, dir)
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			return names
		}
	}
}

// Sync writes the names in a directory to the disk, if its file system can do so and this
// user may read it.
func Sync(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the operator names it, or it lies there
	if err == nil {
		err = errors.Join(d.Sync(), d.Close())
	}
	if err != nil && !impossible(err) {
		return fmt.Errorf("sync a directory: %w", err)
	}
	return nil
}

// impossible says whether a directory cannot be synced, because its file system cannot do
// so, as some network file systems, or because another user owns it.
func impossible(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)
}

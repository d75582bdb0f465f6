package blob

import (
	"fmt"
	"io"
	"syscall"
)

// Space is the space of a file system, in bytes.
type Space struct {
	Free uint64 // for this account
	All  uint64
}

// SpaceOf returns the space of the file system of a directory.
func SpaceOf(dir string) (Space, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return Space{}, fmt.Errorf("look at the free space of %s: %w", dir, err)
	}
	size := uint64(disk.Bsize)
	return Space{Free: disk.Bavail * size, All: disk.Blocks * size}, nil
}

// Reserve is how much of the file system files leave free: a twentieth, as much as ext4
// keeps for root, and 1 GiB at most. By default the database is on the same file system,
// and every change fails once it is full.
func (s Space) Reserve() uint64 { return min(1<<30, s.All/20) }

// Short reports whether less than the reserve is free.
func (s Space) Short() bool { return s.Free < s.Reserve() }

// lookEvery is after how many bytes a file that is being written looks at the free space
// again. A piece may have as much as the whole reserve, and many are written at once.
const lookEvery = 1 << 20

// sparing reads what will be stored in a directory. It fails as a full disk does
// when little space is left there. The first look comes before anything is read.
type sparing struct {
	r    io.Reader
	dir  string
	left int64 // bytes until the next look
}

func (s *sparing) Read(p []byte) (int, error) {
	if s.left <= 0 {
		// If the space is not known, writing shows whether there is some.
		if space, err := SpaceOf(s.dir); err == nil && space.Short() {
			return 0, fmt.Errorf("%w: %d MB are left, and the database needs them", syscall.ENOSPC, space.Free>>20)
		}
		s.left = lookEvery
	}
	n, err := s.r.Read(p)
	s.left -= int64(n)
	return n, err //nolint:wrapcheck // Put promises the reader's own error
}

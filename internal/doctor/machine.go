package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/conclave-rooms/conclave/internal/blob"
)

func settings(_ context.Context, o *Options) Finding {
	if err := o.Config.Check(); err != nil {
		return failed("Correct this setting; conclave serve --help describes each.", "%v.", err)
	}
	return ok("The settings fit together; people reach the service at %s.", o.Config.PublicURL)
}

// Less room than this gets a warning, or stops the service soon. A recording of an
// hour has several hundred megabytes.
const (
	littleSpace = 2 << 30
	noSpace     = 100 << 20
)

func directory(_ context.Context, o *Options) Finding {
	dir := o.Config.Data.Data
	probe := filepath.Join(dir, ".doctor")
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return warning("The first start makes it. If the service has run before, --data names another directory.", "%s does not exist.", dir)
	}
	if err := os.WriteFile(probe, []byte("probe"), 0o600); err != nil {
		return failed("Let the account that runs the service own the directory, and check that the disk is not full or mounted read-only.", "Nothing can be written to %s: %v.", dir, err)
	}
	_ = os.Remove(probe)
	left, err := blob.SpaceOf(dir)
	if err != nil {
		return warning("Look at the disk yourself.", "%s can be written to; its free space is not known: %v.", dir, err)
	}
	return space(dir, left)
}

// space judges the free space of a directory's disk.
func space(dir string, left blob.Space) Finding {
	switch {
	case left.Free < noSpace:
		return failed("Make room: without it the database takes no changes, and requests are answered with 503.", "%s has %d MB left.", dir, left.Free>>20)
	case left.Short():
		return warning("Make room: no parts of recordings are taken, because the rest is for the database.", "%s has %d MB left.", dir, left.Free>>20)
	case left.Free < littleSpace:
		return warning(fmt.Sprintf("Recordings may fill this soon, up to the last %d MB.", left.Reserve()>>20), "%s has %d MB left.", dir, left.Free>>20)
	}
	return ok("%s can be written to, and has %d GB left.", dir, left.Free>>30)
}

// enoughFiles is what deploy/conclave.service allows.
const enoughFiles = 65536

func openFiles(context.Context, *Options) Finding {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return warning("Look with ulimit -n.", "The limit of open files is not known: %v.", err)
	}
	if limit.Max < enoughFiles {
		return warning("Every connection needs one: allow 65536, with LimitNOFILE of systemd or ulimit -n.", "This account may open %d files.", limit.Max)
	}
	return ok("This account may open %d files.", limit.Max)
}

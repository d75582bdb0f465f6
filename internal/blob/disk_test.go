package blob_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/blob/blobtest"
)

// onDisk opens a store on a disk of its own, with a size as mount reads it.
func onDisk(t *testing.T, size string) (s *blob.Store, dir string) {
	t.Helper()
	dir = disk(t, size)
	s, err := blob.Open(t.Context(), blob.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, dir
}

// disk makes a directory that is a disk of its own.
func disk(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("making a small disk needs root, and a system that allows it: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

//nolint:paralleltest // beside tests that start processes, a file that was removed keeps its space until the process is another program
func TestAFullDiskIsErrFull(t *testing.T) {
	s, _ := onDisk(t, "1m")
	put(t, s, "a/small", "fits")
	if _, err := s.Put(t.Context(), "a/large", bytes.NewReader(pattern(2<<20))); !errors.Is(err, blob.ErrFull) {
		t.Errorf("put: %v; want ErrFull", err)
	}
	want(t, s, map[string]string{"a/small": "fits"})
	put(t, s, "a/next", "what did not fit takes no room")
}

// Files leave a twentieth of the disk free, whether they begin too late or grow too
// large. A source of which nothing can be stored is not read.
//
//nolint:paralleltest // as above
func TestFilesLeaveAReserve(t *testing.T) {
	s, dir := onDisk(t, "80m")
	const reserve = 4 << 20
	spare := func(bytes uint64) { // leaves so many bytes beyond the reserve
		t.Helper()
		filler := filepath.Join(dir, ".filler")
		_ = os.Remove(filler)
		space, err := blob.SpaceOf(dir)
		if err != nil || space.Reserve() != reserve {
			t.Fatalf("the reserve is %d, %v; want %d", space.Reserve(), err, reserve)
		}
		if err := os.WriteFile(filler, make([]byte, space.Free-reserve-bytes), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(t, s, "a/first", "fits")
	spare(0)
	put(t, s, "a/last", "fits")
	read := 0
	if _, err := s.Put(t.Context(), "a/late", readFunc(func([]byte) (int, error) { read++; return 0, io.EOF })); !errors.Is(err, blob.ErrFull) || read != 0 {
		t.Errorf("a put into the reserve: %v, and %d reads of its source; want ErrFull and none", err, read)
	}
	spare(2 << 20)
	if _, err := s.Put(t.Context(), "a/large", bytes.NewReader(pattern(4<<20))); !errors.Is(err, blob.ErrFull) {
		t.Errorf("a put that would need half of the reserve: %v; want ErrFull", err)
	}
	want(t, s, map[string]string{"a/first": "fits", "a/last": "fits"})
	put(t, s, "a/next", "there is space again")
}

// What waits to be sent to a bucket leaves the reserve of its disk too. Without space
// there, the bucket is not full.
//
//nolint:paralleltest // as above
func TestWhatWaitsForABucketLeavesAReserve(t *testing.T) {
	server := blobtest.Start(t)
	dir := disk(t, "80m")
	s, err := blob.Open(t.Context(), blob.Config{URL: server.Bucket(t, "bucket"), Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	refused := func(what string, r io.Reader) {
		t.Helper()
		if _, err := s.Put(t.Context(), "a/refused", r); !errors.Is(err, blob.ErrNoSpaceToWait) || errors.Is(err, blob.ErrFull) {
			t.Errorf("%s: %v; want ErrNoSpaceToWait", what, err)
		}
	}
	put(t, s, "a/first", "fits")
	refused("more than the disk has", bytes.NewReader(pattern(100<<20)))
	put(t, s, "a/next", "what did not fit takes no room")
	space, err := blob.SpaceOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, space.Free-space.Reserve()+4096), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a put into the reserve", strings.NewReader("x"))
	if err := os.WriteFile(filler, make([]byte, space.Free), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a full disk", strings.NewReader("x"))
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	put(t, s, "a/last", "there is space again")
	want(t, s, map[string]string{"a/first": "fits", "a/next": "what did not fit takes no room", "a/last": "there is space again"})
}

func TestTheReserveIsATwentiethAndAGibibyteAtMost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ all, want uint64 }{{0, 0}, {1 << 30, 1 << 30 / 20}, {20 << 30, 1 << 30}, {1 << 40, 1 << 30}} {
		if got := (blob.Space{All: c.all}).Reserve(); got != c.want {
			t.Errorf("the reserve of %d bytes is %d, want %d", c.all, got, c.want)
		}
		if c.want > 0 && (blob.Space{Free: c.want, All: c.all}.Short() || !blob.Space{Free: c.want - 1, All: c.all}.Short()) {
			t.Errorf("on a disk of %d bytes, %d free ones are too few, or one less is enough", c.all, c.want)
		}
	}
}

// storing is the environment variable that makes this program store pieces in a
// directory until it is killed.
const storing = "CONCLAVE_BLOBTEST_STORE"

// beKilled stores whole pieces and reports each, and then half of one.
func beKilled(dir string) error {
	ctx := context.Background()
	s, err := blob.Open(ctx, blob.Config{Dir: dir})
	if err != nil {
		return err
	}
	for i := range 5 {
		if _, err := s.Put(ctx, fmt.Sprintf("a/%d", i), bytes.NewReader(pattern(100_000))); err != nil {
			return err
		}
		fmt.Println("stored", i)
	}
	half := io.MultiReader(bytes.NewReader(pattern(100_000)), readFunc(func(p []byte) (int, error) {
		fmt.Println("half")
		return os.Stdin.Read(p) // nothing ever comes
	}))
	_, err = s.Put(ctx, "a/4", half)
	return err
}

func TestStoredPiecesSurviveAKill(t *testing.T) {
	t.Parallel()
	s, dir := openFiles(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), storing+"="+dir)
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // open until the process is killed
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	heard := ""
	for lines := bufio.NewScanner(said); lines.Scan() && lines.Text() != "half"; {
		heard += lines.Text() + "\n"
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if strings.Count(heard, "stored") != 5 {
		t.Fatalf("the service said:\n%s", heard)
	}
	whole := 0
	for object, err := range s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(object.Key) == ".tmp" {
			continue // the half that a sweeper removes
		}
		whole++
		r, err := s.Get(t.Context(), object.Key)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		_ = r.Close()
		if err != nil || !bytes.Equal(content, pattern(100_000)) {
			t.Errorf("%s: %d bytes, %v; want what was put", object.Key, len(content), err)
		}
	}
	if whole != 5 {
		t.Errorf("%d pieces are there, want 5", whole)
	}
}

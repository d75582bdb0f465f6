package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"

	"github.com/conclave-rooms/conclave/internal/disk"
)

// makeDir makes a directory and returns its absolute path, without links, because a walk
// does not follow one at its start.
func makeDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the directory of blobs: %w", err)
	}
	if err := disk.MakeDir(dir); err != nil {
		return "", fmt.Errorf("make the directory of blobs: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("find the directory of blobs: %w", err)
	}
	return dir, nil
}

func openFiles(dir string) (*Store, error) {
	// Temporary files are beside the real ones, because a file can only be
	// renamed within one file system.
	bucket, err := fileblob.OpenBucket(dir, &fileblob.Options{NoTempDir: true, DirFileMode: 0o700, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, fmt.Errorf("open the directory of blobs: %w", err)
	}
	return &Store{bucket: bucket, dir: dir}, nil
}

// putFile writes a file under a temporary name and syncs it before it is
// renamed.
func (s *Store) putFile(ctx context.Context, key string, r io.Reader) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var file *os.File
	w, err := s.bucket.NewWriter(ctx, key, &blob.WriterOptions{
		ContentType: contentType,
		BeforeWrite: func(as func(any) bool) error {
			if !as(&file) {
				return errors.New("the library gives no file")
			}
			return nil
		},
	})
	if err != nil {
		return 0, err
	}
	// The writer is only a Writer here: its ReadFrom would allocate a buffer of
	// a megabyte.
	size, err := io.Copy(struct{ io.Writer }{w}, r)
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		cancel() // makes Close discard what was written
		_ = w.Close()
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return size, s.syncAbove(key)
}

// syncAbove syncs the directories between a file and the root of the files, so
// that the file's name is on the disk too.
func (s *Store) syncAbove(key string) error {
	dir := filepath.Dir(s.path(key))
	for {
		if err := syncDir(dir); err != nil {
			return err
		}
		if dir == s.dir {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

func (s *Store) path(key string) string { return filepath.Join(s.dir, filepath.FromSlash(key)) }

// syncDir writes a directory's names to disk. It succeeds if the directory is
// gone.
func syncDir(dir string) error {
	if err := disk.Sync(dir); !errors.Is(err, fs.ErrNotExist) {
		return err //nolint:wrapcheck // it says what failed
	}
	return nil
}

// listFiles walks the directory once. The library would walk all of it again
// for every thousand files.
func (s *Store) listFiles(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		err := filepath.WalkDir(s.path(prefix), func(name string, entry fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			if errors.Is(err, fs.ErrNotExist) {
				return nil // deleted meanwhile
			}
			if err != nil || entry.IsDir() {
				return err
			}
			object, err := s.object(name, entry)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			if !keys.MatchString(object.Key) {
				return nil // not one of ours
			}
			if !yield(object, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Object{}, fmt.Errorf("list blobs: %w", err))
		}
	}
}

// errStop ends a walk when the reader wants no more.
var errStop = errors.New("enough")

func (s *Store) object(name string, entry fs.DirEntry) (Object, error) {
	info, err := entry.Info()
	if err != nil {
		return Object{}, err
	}
	key, err := filepath.Rel(s.dir, name)
	if err != nil {
		return Object{}, err
	}
	return Object{Key: filepath.ToSlash(key), Size: info.Size(), ModTime: info.ModTime()}, nil
}

// removeDirs removes the directories below a prefix that are now empty, and the
// prefix's own.
func (s *Store) removeDirs(prefix string) error {
	if s.dir == "" || prefix == "" {
		return nil
	}
	root := s.path(prefix)
	var dirs []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			dirs = append(dirs, name)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("list directories of blobs: %w", err)
	}
	for i := len(dirs) - 1; i >= 0; i-- { // those inside come later
		_ = os.Remove(dirs[i]) // it stays when a file was stored in it meanwhile
	}
	return syncDir(filepath.Dir(root))
}

package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"regexp"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

var (
	// ErrNotFound says that there is no piece under a key.
	ErrNotFound = errors.New("blob: not found")

	// ErrFull says that the disk is full, except for the reserve of the database (Space),
	// or that a quota is used up.
	ErrFull = errors.New("blob: the store is full")

	// ErrNoAnswer says that the S3 server does not answer, or not as it should. The same
	// request may succeed later.
	ErrNoAnswer = errors.New("blob: the bucket does not answer")

	// ErrNoSpaceToWait says that the disk on which a piece waits to be sent to a bucket is
	// full, except for the reserve. It says nothing about the bucket.
	ErrNoSpaceToWait = errors.New("blob: no space for what waits to be sent to the bucket")
)

// Config says where pieces are stored.
type Config struct {
	// URL names an S3 bucket, such as s3://bucket?region=eu-central-1. Empty:
	// files in Dir.
	URL string

	// Dir is the directory of the files; with S3, of the files that wait to be
	// sent. It is made if it is missing.
	Dir string
}

// Store stores pieces. Its methods may be called concurrently.
type Store struct {
	bucket *blob.Bucket
	dir    string  // of the files; empty with S3
	upload *upload // nil with files
}

// Object is a stored piece in a list.
type Object struct {
	Key     string
	Size    int64
	ModTime time.Time // when it was stored
}

// Open prepares a store. It does not contact an S3 server; Ready does.
func Open(ctx context.Context, c Config) (*Store, error) {
	dir, err := makeDir(c.Dir)
	if err != nil {
		return nil, err
	}
	if c.URL != "" {
		return openS3(ctx, c.URL, dir)
	}
	return openFiles(dir)
}

// Close closes the store.
func (s *Store) Close() error { return s.bucket.Close() }

// Ready says whether the store can be reached.
func (s *Store) Ready(ctx context.Context) error {
	if s.dir != "" {
		_, err := os.Stat(s.dir)
		return err
	}
	ok, err := s.bucket.IsAccessible(ctx)
	if err == nil && !ok {
		err = errors.New("the bucket does not exist")
	}
	return err
}

// keys are names that every store and file system treats alike. The names of
// temporary files match too; they are longer than the keys they are made for.
var keys = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,159}(/[a-z0-9][a-z0-9._-]{0,159}){0,3}$`)

// maxKey is how long a key may be.
const maxKey = 128

func checkKey(key string) error {
	if !keys.MatchString(key) {
		return fmt.Errorf("blob: %q is not a key: lower-case letters, digits, dots, dashes and underscores, in up to four parts between slashes", key)
	}
	return nil
}

const contentType = "application/octet-stream"

// Put stores what r reads under a key, replaces what was there, and returns its
// size. When r fails, Put fails with the same error.
func (s *Store) Put(ctx context.Context, key string, r io.Reader) (int64, error) {
	if err := checkKey(key); err != nil {
		return 0, err
	}
	if len(key) > maxKey {
		return 0, fmt.Errorf("blob: a key of %d characters is longer than %d", len(key), maxKey)
	}
	r = ctxReader{ctx, r}
	var size int64
	var err error
	if s.upload != nil {
		size, err = s.upload.put(ctx, key, r)
	} else {
		size, err = s.putFile(ctx, key, &sparing{r: r, dir: s.dir})
	}
	return size, translate(err)
}

// ctxReader stops a copy when its context ends.
type ctxReader struct {
	ctx context.Context //nolint:containedctx // it lives as long as the call it belongs to
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// Reader reads one stored piece.
type Reader struct {
	r        *blob.Reader
	patience patience
}

// Get opens the piece under a key. It can be read until ctx ends.
func (s *Store) Get(ctx context.Context, key string) (*Reader, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	ctx, p := s.patient(ctx)
	var r *blob.Reader
	err := p.during(func() (err error) {
		r, err = s.bucket.NewReader(ctx, key, nil)
		return err
	})
	if err != nil {
		p.end()
		return nil, translate(err)
	}
	return &Reader{r, p}, nil
}

// Size is the size of the whole piece.
func (r *Reader) Size() int64 { return r.r.Size() }

// Read reads the next bytes.
func (r *Reader) Read(p []byte) (int, error) {
	var n int
	err := r.patience.during(func() (err error) {
		n, err = r.r.Read(p)
		return err
	})
	return n, translate(err)
}

// Seek sets where the next Read begins, at most at the end.
func (r *Reader) Seek(offset int64, whence int) (int64, error) { return r.r.Seek(offset, whence) }

// Close ends reading.
func (r *Reader) Close() error {
	defer r.patience.end()
	return r.r.Close()
}

// Delete deletes the piece under a key. It succeeds if there is none.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	ctx, cancel := s.limited(ctx)
	defer cancel()
	if err := s.bucket.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return translate(err)
	}
	return nil
}

// DeleteAll deletes every piece whose key begins with a prefix, which must end
// in a slash. Pieces stored meanwhile may stay.
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	for object, err := range s.List(ctx, prefix) {
		if err != nil {
			return err
		}
		if err := s.Delete(ctx, object.Key); err != nil {
			return err
		}
	}
	return s.removeDirs(prefix)
}

// List returns the pieces whose keys begin with a prefix, in no order. The
// prefix is empty or ends in a slash. Files and objects whose names are not
// keys are left out. A piece may be deleted during the list.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[Object, error] {
	if dir, found := strings.CutSuffix(prefix, "/"); prefix != "" && (!found || checkKey(dir) != nil) {
		return func(yield func(Object, error) bool) {
			yield(Object{}, fmt.Errorf("blob: %q is not a prefix: it must end in a slash", prefix))
		}
	}
	if s.dir != "" {
		return s.listFiles(ctx, prefix)
	}
	return func(yield func(Object, error) bool) {
		objects := s.bucket.List(&blob.ListOptions{Prefix: prefix})
		for {
			object, err := s.next(ctx, objects)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Object{}, translate(err))
				return
			}
			if !keys.MatchString(object.Key) {
				continue // not one of ours
			}
			if !yield(Object{Key: object.Key, Size: object.Size, ModTime: object.ModTime}, nil) {
				return
			}
		}
	}
}

// next returns the next object of a list; where a page ends, it asks for another one.
func (s *Store) next(ctx context.Context, objects *blob.ListIterator) (*blob.ListObject, error) {
	ctx, cancel := s.limited(ctx)
	defer cancel()
	return objects.Next(ctx)
}

package recording

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/conclave-rooms/conclave/api"
)

// ErrIncomplete is returned at the end of a recording whose parts together are
// not as large as the service said. Use errors.Is.
var ErrIncomplete = errors.New("recording: the parts do not make up the whole file")

// Reader reads the file of a recording. It keeps one part in memory, at most
// 16 MiB. It is not for several goroutines at a time.
type Reader struct {
	// MIMEType is the media type of the file: video/mp4 or video/webm.
	MIMEType string
	// Size is how many bytes the file has.
	Size int64
	// Parts is how many encrypted parts the file was stored in.
	Parts int

	ctx    context.Context //nolint:containedctx // io.Reader has no place for it
	client Client
	id     string
	key    []byte

	next int    // the part that is fetched next
	rest []byte // of the part before
	read int64  // bytes of the parts so far
	err  error
}

// Open asks the service for the recording's key and the list of its parts. The
// context holds for all that the Reader fetches.
func (c Client) Open(ctx context.Context, id string) (*Reader, error) {
	var d api.RecordingDownload
	if err := c.download(ctx, id, &d); err != nil {
		return nil, err
	}
	key, err := keyOf(d)
	if err != nil {
		return nil, err
	}
	for i, part := range d.Parts {
		if part.Index != i {
			return nil, &PartError{Index: i, Err: errors.New("the service does not list it")}
		}
	}
	return &Reader{
		MIMEType: d.MIMEType, Size: d.Bytes - int64(len(d.Parts))*Overhead, Parts: len(d.Parts),
		ctx: ctx, client: c, id: id, key: key,
	}, nil
}

// keyOf is the key of a recording whose encryption this package knows.
func keyOf(d api.RecordingDownload) ([]byte, error) {
	e := d.Encryption
	if e.Algorithm != "AES-256-GCM" || e.KeyEncoding != "base64url" || e.IVBytes != ivBytes {
		return nil, fmt.Errorf("recording: the recording is encrypted with %s, a %s key and an IV of %d bytes, which this version of the package cannot read",
			e.Algorithm, e.KeyEncoding, e.IVBytes)
	}
	key, err := base64.RawURLEncoding.DecodeString(e.Key)
	if err != nil || len(key) != KeyBytes {
		return nil, errors.New("recording: the service answered with a key that is none")
	}
	return key, nil
}

// Read reads the file from its beginning to its end. Bytes are handed out only
// when the whole part that they belong to was verified.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err == nil {
			r.rest, r.err = r.nextPart()
		}
		if r.err != nil {
			return 0, r.err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// nextPart fetches the part after those that were read.
func (r *Reader) nextPart() ([]byte, error) {
	if r.next == r.Parts {
		if r.read != r.Size {
			return nil, fmt.Errorf("%w: they have %d bytes of %d", ErrIncomplete, r.read, r.Size)
		}
		return nil, io.EOF
	}
	plain, err := r.ReadPart(r.ctx, r.next)
	if err != nil {
		return nil, err
	}
	r.next++
	r.read += int64(len(plain))
	return plain, nil
}

// ReadPart fetches, verifies and decrypts one part, whatever Read has read.
func (r *Reader) ReadPart(ctx context.Context, index int) ([]byte, error) {
	if index < 0 || index >= r.Parts {
		return nil, &PartError{Index: index, Err: fmt.Errorf("the recording has %d parts", r.Parts)}
	}
	sealed, err := r.client.part(ctx, r.id, index)
	if err != nil {
		return nil, &PartError{Index: index, Err: err}
	}
	return DecryptPart(r.key, r.id, index, sealed)
}

package recording

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/conclave-rooms/conclave/api"
)

// ErrIncomplete is returned at the end of a recording whose parts do not have the size
// that the service announced. Use errors.Is.
var ErrIncomplete = errors.New("recording: the parts do not make up the whole file")

// Reader reads the file of a recording. It keeps one part in memory, at most 16 MiB. It
// must not be used by several goroutines at the same time.
type Reader struct {
	// MIMEType is the media type of the file: video/mp4 or video/webm.
	MIMEType string
	// Size is the size of the file in bytes.
	Size int64
	// Parts is the number of encrypted parts.
	Parts int

	ctx    context.Context //nolint:containedctx // io.Reader takes no context
	client Client
	id     string
	key    []byte

	next int    // index of the next part
	rest []byte // unread bytes of the part before
	read int64  // bytes of the parts so far
	err  error
}

// Open requests the recording's key and the list of its parts. The Reader uses ctx for
// everything it fetches.
func (c Client) Open(ctx context.Context, id string) (*Reader, error) {
	d, err := c.download(ctx, id)
	if err != nil {
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

// keyOf returns the key of a recording. It refuses an unknown encryption.
func keyOf(d api.RecordingDownload) ([]byte, error) {
	e := d.Encryption
	if e.Algorithm != "AES-256-GCM" || e.KeyEncoding != "base64url" || e.IVBytes != ivBytes {
		return nil, fmt.Errorf("recording: the recording is encrypted with %s, a %s key and an IV of %d bytes, which this version of the package cannot read",
			e.Algorithm, e.KeyEncoding, e.IVBytes)
	}
	key, err := base64.RawURLEncoding.DecodeString(e.Key)
	if err != nil || len(key) != KeyBytes {
		return nil, errors.New("recording: the service answered with an invalid key")
	}
	return key, nil
}

// Read reads the file from beginning to end. It returns bytes only after their whole part
// was verified.
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

// nextPart fetches the next part.
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

// ReadPart fetches, verifies and decrypts one part. It does not affect Read.
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

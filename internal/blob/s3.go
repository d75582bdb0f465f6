package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/s3blob" // opens s3:// addresses
)

// upload sends pieces to an S3 bucket.
//
// The library would collect up to 16 MiB of each piece in memory, and send a
// larger one in several requests, some of which a killed process leaves behind.
// Here a piece waits in a file and is sent in one request, which can be
// repeated.
type upload struct {
	client   *s3.Client
	template s3.PutObjectInput // what all requests have in common
	prefix   string            // of every name in the bucket
	dir      string            // of the files

	answerWithin time.Duration // see the constants
	sendWithin   time.Duration
}

// The library waits for an answer for ever, also when the server has lost the request.
const (
	// answerWithin is how long a deletion, or a page of a list, may take, and how long a
	// reader waits for the next bytes.
	answerWithin = 30 * time.Second
	// SendWithin is how long it may take to send a piece, once it waits in a file. A
	// device waits for it (package recording, times.go).
	SendWithin = 2 * time.Minute
)

func openS3(ctx context.Context, address, dir string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "s3" || u.Host == "" {
		return nil, errors.New("the address of a bucket must begin with s3:// and name the bucket")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("read the address of the bucket: %w", err)
	}
	// A server that is not Amazon's rarely has a host name for each bucket.
	if query.Has("endpoint") && !query.Has("use_path_style") && !query.Has("s3ForcePathStyle") {
		query.Set("use_path_style", "true")
		u.RawQuery = query.Encode()
	}
	bucket, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("open the S3 bucket: %w", err)
	}
	s := &Store{bucket: bucket, upload: &upload{prefix: query.Get("prefix"), dir: dir, answerWithin: answerWithin, sendWithin: SendWithin}}
	if !bucket.As(&s.upload.client) {
		return nil, errors.Join(errors.New("the S3 library has no client"), bucket.Close())
	}
	s.upload.template = s3.PutObjectInput{Bucket: &u.Host, ServerSideEncryption: types.ServerSideEncryption(query.Get("ssetype"))}
	if key := query.Get("kmskeyid"); key != "" {
		s.upload.template.SSEKMSKeyId = &key
	}
	return s, nil
}

// put sends what r reads.
func (u *upload) put(ctx context.Context, key string, r io.Reader) (int64, error) {
	file, size, err := u.keep(r)
	if diskFull(err) {
		err = fmt.Errorf("%w: %w", ErrNoSpaceToWait, err)
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	ctx, cancel := context.WithTimeout(ctx, u.sendWithin)
	defer cancel()
	input := u.template
	name, kind := u.prefix+key, contentType
	input.Key, input.Body, input.ContentLength, input.ContentType = &name, file, &size, &kind
	if _, err := u.client.PutObject(ctx, &input); err != nil {
		return 0, answered(err)
	}
	return size, nil
}

// keep writes what r reads to a file, where it waits to be sent. A file without a name
// disappears with the process, however that ends.
func (u *upload) keep(r io.Reader) (_ *os.File, size int64, err error) {
	file, err := os.CreateTemp(u.dir, "upload-*.tmp")
	if err != nil {
		return nil, 0, fmt.Errorf("make a file for an upload: %w", err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	if err := os.Remove(file.Name()); err != nil {
		return nil, 0, fmt.Errorf("hide the file of an upload: %w", err)
	}
	if size, err = io.Copy(file, &sparing{r: r, dir: u.dir}); err != nil {
		return nil, 0, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, 0, err
	}
	return file, size, nil
}

// limited is the context of a request to a bucket; with files it is ctx.
func (s *Store) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.upload == nil {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.upload.answerWithin)
}

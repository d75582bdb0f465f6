package rest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

const mediaBytes = "application/octet-stream"

// uploadWithin is how long an upload may take as a whole. It also ends when no
// byte has come for as long as a JSON body may take.
const uploadWithin = 10 * time.Minute

// What is read of an upload that is refused. A browser looks at an answer only
// once it has sent its whole request, so that a small rest is read to the end.
// A large one is not worth its time: everybody may be refused.
const (
	refusedBytes  = 256 << 10
	refusedWithin = 3 * time.Second
)

// HandleUpload registers an operation whose body is bytes, most of them at the
// most. In has fields for path and query only. The handler reads the body as it
// arrives; nothing keeps the whole of it in memory. Keys of the API and their
// Idempotency-Key have no uploads: this is for people's devices.
func HandleUpload[In, Out any](d *Door, op Op, most int64, h func(ctx context.Context, in *In, body *Upload) (Out, error)) {
	o := typed(d, op, func(ctx context.Context, in *In) (any, error) { return h(ctx, in, exchangeOf(ctx).upload) })
	o.out = compileType(reflect.TypeFor[Out]())
	o.most = most
	d.add(o)
}

// HandleFile registers an operation whose answer is bytes that are stored
// somewhere. It serves ranges of them.
func HandleFile[In any](d *Door, op Op, h func(ctx context.Context, in *In) (File, error)) {
	op.Produces = mediaBytes
	o := typed(d, op, func(ctx context.Context, in *In) (any, error) { return h(ctx, in) })
	o.file = true
	d.add(o)
}

// File is an answer that is bytes.
type File struct {
	Content io.ReadSeekCloser
	SHA256  string // of the content, hexadecimal: what its ETag says; empty when nobody knows
}

// Upload is the body of a request that is bytes. To read it is an error, which
// may be handed on as it is, when the body is too large, when it does not
// arrive whole or in time, and when it does not have the digest that the
// request announced.
type Upload struct {
	// Size is how long the body is, as the request announced; -1 when it did not.
	Size int64
	// SHA256 is the digest that the request announced, hexadecimal; empty when
	// it did not.
	SHA256 string

	x    *exchange
	most int64
	read int64
	hash hash.Hash
	ends time.Time
	// whole says that all of the body has been read.
	whole bool
	err   error
}

// newUpload checks what the headers of an upload say.
func (x *exchange) newUpload() (*Upload, error) {
	u := &Upload{Size: x.r.ContentLength, x: x, most: x.op.most, hash: sha256.New(), ends: time.Now().Add(uploadWithin)} //nolint:forbidigo // a deadline is the socket's, which has the real clock
	if !isBytes(x.r.Header) {
		return u, fault.New(fault.UnsupportedMediaType, api.CodeUnsupportedMediaType, "Send the body as Content-Type: application/octet-stream, not compressed.")
	}
	if u.Size > u.most {
		return u, u.tooLarge()
	}
	var err error
	if u.SHA256, err = announcedDigest(x.r.Header); err != nil {
		return u, err
	}
	return u, nil
}

// Read reads on.
func (u *Upload) Read(p []byte) (int, error) {
	if u.err != nil {
		return 0, u.err
	}
	until := time.Now().Add(u.x.edge.config.BodyTimeout) //nolint:forbidigo // as above
	if until.After(u.ends) {
		until = u.ends
	}
	if err := setReadDeadline(u.x.w, until); err != nil {
		return 0, err
	}
	n, err := u.x.r.Body.Read(p)
	u.read += int64(n)
	_, _ = u.hash.Write(p[:n]) // a hash never fails
	switch {
	case u.read > u.most:
		u.err = u.tooLarge()
	case errors.Is(err, io.EOF):
		u.whole = true
		u.err = u.finish()
	case err != nil:
		u.err = u.x.lost(err)
	}
	return n, u.err
}

// finish is what comes after the last byte.
func (u *Upload) finish() error {
	if u.SHA256 != "" && hex.EncodeToString(u.hash.Sum(nil)) != u.SHA256 {
		return fault.BadParameter(digestHeader, "The body that arrived does not have the digest that Content-Digest says. Send it again.")
	}
	if err := setReadDeadline(u.x.w, time.Time{}); err != nil {
		return err
	}
	return io.EOF
}

func (u *Upload) tooLarge() error {
	return fault.New(fault.TooLarge, api.CodePayloadTooLarge, fmt.Sprintf("The body is larger than %d bytes.", u.most))
}

// drain reads what nobody has read of an upload that succeeded. A browser looks
// at an answer only once it has sent its whole request; without this it would
// find its connection cut.
func (u *Upload) drain() {
	_, _ = io.Copy(io.Discard, u)
}

// turnAway reads the rest of an upload that is refused, when it is small. When
// it is not, or when those who send it have no credentials, the connection
// ends with the answer.
func (u *Upload) turnAway(refusal error) {
	if f, refused := fault.As(refusal); refused && (f.Kind == fault.TooLarge || f.Kind == fault.Unauthenticated) {
		u.hangUp()
		return
	}
	if soon := time.Now().Add(refusedWithin); soon.Before(u.ends) { //nolint:forbidigo // a deadline is the socket's, which has the real clock
		u.ends = soon
	}
	n, err := io.CopyN(io.Discard, u, refusedBytes)
	if n == refusedBytes || err != nil && !u.whole {
		u.hangUp()
	}
}

// hangUp ends the connection with the answer. net/http would read on before it
// answers; the deadline stops it.
func (u *Upload) hangUp() {
	u.x.w.Header().Set("Connection", "close")
	if err := setReadDeadline(u.x.w, time.Now()); err != nil { //nolint:forbidigo // as above
		u.x.log().WarnContext(u.x.r.Context(), "the rest of a refused upload is read", "error", err)
	}
}

// lost is the answer to an upload that broke off.
func (x *exchange) lost(why error) error {
	x.w.Header().Set("Connection", "close")
	if err := x.r.Context().Err(); err != nil {
		return err //nolint:wrapcheck // refuse looks for exactly this
	}
	x.log().DebugContext(x.r.Context(), "an upload broke off", "error", why)
	return fault.Down(api.CodeServiceUnavailable, "The body did not arrive whole. Send it again.", time.Second, nil)
}

// serveUpload runs an operation whose body is bytes.
func (x *exchange) serveUpload(values []string) error {
	var a answer
	upload, err := x.newUpload()
	x.upload = upload
	if err == nil {
		var do work
		if do, err = x.decode(values, nil); err == nil {
			a, err = x.execute(x.r.Context(), do)
		}
	}
	if err != nil {
		upload.turnAway(err)
		return err
	}
	upload.drain()
	writeAnswer(x.w, a)
	return nil
}

// serveFile answers with bytes, or with the range of them that was asked for.
func (x *exchange) serveFile(values []string) error {
	do, err := x.decode(values, nil)
	if err != nil {
		return err
	}
	value, err := do(x.r.Context())
	if err != nil {
		return err
	}
	f, ok := value.(File)
	if !ok {
		return fmt.Errorf("the answer of %s is a %T", x.op.ID, value)
	}
	defer func() { _ = f.Content.Close() }()
	h := x.w.Header()
	h.Set("Content-Type", mediaBytes)
	if f.SHA256 != "" {
		h.Set("ETag", `"`+f.SHA256+`"`)
	}
	if strings.Contains(x.r.Header.Get("Range"), ",") {
		x.r.Header.Del("Range") // several ranges at once would need another media type: then all of it is sent
	}
	ranges := &rangeWriter{ResponseWriter: x.w}
	http.ServeContent(ranges, x.r, "", time.Time{}, f.Content)
	if ranges.refused {
		h.Set("Cache-Control", "no-store") // which ServeContent has taken away
		return fault.New(fault.RangeNotSatisfiable, api.CodeRangeNotSatisfiable, "There are not as many bytes as the range begins at.")
	}
	return nil
}

// rangeWriter keeps back the refusal of a range, which is not in the envelope.
type rangeWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader notes a refusal.
func (w *rangeWriter) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		w.refused = true
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes what is no refusal.
func (w *rangeWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p) //nolint:wrapcheck // a ResponseWriter hands on what it gets
}

const digestHeader = "Content-Digest"

// announcedDigest reads the SHA-256 that a request announces (RFC 9530), in
// hexadecimal. Digests of other kinds mean nothing here.
func announcedDigest(h http.Header) (string, error) {
	for member := range strings.SplitSeq(strings.Join(h.Values(digestHeader), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(member), "=")
		if name != "sha-256" {
			continue
		}
		inner, opened := strings.CutPrefix(value, ":")
		inner, closed := strings.CutSuffix(inner, ":")
		sum, err := base64.StdEncoding.DecodeString(inner)
		if !opened || !closed || err != nil || len(sum) != sha256.Size {
			return "", fault.BadParameter(digestHeader, "Content-Digest must look like sha-256=:<base64 of 32 bytes>: (RFC 9530).")
		}
		return hex.EncodeToString(sum), nil
	}
	return "", nil
}

func isBytes(h http.Header) bool {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && media == mediaBytes && plain(h)
}

package rest

import (
	"cmp"
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
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

const mediaBytes = "application/octet-stream"

// uploadWithin is how long an upload may take in total. It also ends when no
// byte arrives for as long as a JSON body may take.
const uploadWithin = 10 * time.Minute

// How much of a refused upload is read. A browser reads an answer only after it
// has sent its whole request, so a small rest is read to the end. A large rest
// is not, because anybody may send refused requests.
const (
	refusedBytes  = 256 << 10
	refusedWithin = 3 * time.Second
)

// HandleUpload registers an operation whose body is bytes, at most most of
// them. In has fields for path and query only. The handler reads the body as it
// arrives; it is never kept in memory as a whole. Uploads are for people's
// devices: groups for API keys have none, so they take no Idempotency-Key.
func HandleUpload[In, Out any](g *Group, op Op, most int64, h func(ctx context.Context, in *In, body *Upload) (Out, error)) {
	o := typed(g, op, func(ctx context.Context, in *In) (any, error) { return h(ctx, in, exchangeOf(ctx).upload) })
	o.answers(reflect.TypeFor[Out]())
	o.most = most
	g.add(o)
}

// HandleFile registers an operation whose answer is stored bytes. It serves
// ranges of them.
func HandleFile[In any](g *Group, op Op, h func(ctx context.Context, in *In) (File, error)) {
	op.Produces = mediaBytes
	o := typed(g, op, func(ctx context.Context, in *In) (any, error) { return h(ctx, in) })
	o.file = true
	g.add(o)
}

// File is an answer that consists of bytes.
type File struct {
	Content io.ReadSeekCloser
	SHA256  string // of the content, in hexadecimal, for the ETag; empty when unknown
}

// Upload is a request body that consists of bytes. Reading fails when the body
// is too large, does not arrive completely or in time, or does not have the
// digest that the request announced. The handler may return that error
// unchanged.
type Upload struct {
	// Size is the length that the request announced; -1 without one.
	Size int64
	// SHA256 is the digest that the request announced, in hexadecimal; empty
	// without one.
	SHA256 string

	x    *exchange
	most int64
	read int64
	hash hash.Hash
	ends time.Time
	// whole is set once all of the body has been read.
	whole bool
	err   error
}

// newUpload checks the headers of an upload.
func (x *exchange) newUpload() (*Upload, error) {
	u := &Upload{Size: x.r.ContentLength, x: x, most: x.op.most, hash: sha256.New(), ends: time.Now().Add(uploadWithin)} //nolint:forbidigo // deadlines of sockets follow the real clock
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

// Read reads from the body.
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
	_, _ = u.hash.Write(p[:n]) // writing to a hash never fails
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

// finish checks the digest after the last byte.
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

// drain reads what is left of an upload that succeeded. A browser reads an
// answer only after it has sent its whole request; without this its connection
// would break.
func (u *Upload) drain() {
	_, _ = io.Copy(io.Discard, u)
}

// finishRefused reads the rest of a refused upload if it is small. If it is large,
// or the request had no credentials, the connection ends with the answer.
func (u *Upload) finishRefused(refusal error) {
	if f, refused := fault.As(refusal); refused && (f.Kind == fault.TooLarge || f.Kind == fault.Unauthenticated) {
		u.hangUp()
		return
	}
	if soon := time.Now().Add(refusedWithin); soon.Before(u.ends) { //nolint:forbidigo // deadlines of sockets follow the real clock
		u.ends = soon
	}
	n, err := io.CopyN(io.Discard, u, refusedBytes)
	if n == refusedBytes || err != nil && !u.whole {
		u.hangUp()
	}
}

// hangUp ends the connection with the answer. net/http would first read on; the
// deadline stops it.
func (u *Upload) hangUp() {
	u.x.w.Header().Set("Connection", "close")
	linger(u.x.w)
	if err := setReadDeadline(u.x.w, time.Now()); err != nil { //nolint:forbidigo // as above
		u.x.log().WarnContext(u.x.r.Context(), "the rest of a refused upload is read", "error", err)
	}
}

// linger makes net/http leave the connection open for half a second after the
// answer. Closed at once, it would be reset by what the client still sends, and
// the answer with it (RFC 9112, section 9.6). net/http does so for bodies beyond
// the limit of a MaxBytesReader, so one reads a byte too many here.
func linger(w http.ResponseWriter) {
	for {
		wrapped, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			break
		}
		w = wrapped.Unwrap()
	}
	_, _ = http.MaxBytesReader(w, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
}

// lost is the answer to an upload that broke off.
func (x *exchange) lost(why error) error {
	x.w.Header().Set("Connection", "close")
	if err := x.r.Context().Err(); err != nil {
		return err //nolint:wrapcheck // refuse looks for exactly this
	}
	x.log().DebugContext(x.r.Context(), "an upload broke off", "error", why)
	return fault.Down(api.CodeServiceUnavailable, "The body did not arrive completely. Send it again.", time.Second, nil)
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
		upload.finishRefused(err)
		return err
	}
	upload.drain()
	writeAnswer(x.w, a)
	return nil
}

// serveFile answers with bytes, or with the requested range of them.
func (x *exchange) serveFile(values []string) error {
	x.dropUnreadBody()
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
	if one := byteRange(x.r.Header.Get("Range")); one != "" {
		x.r.Header.Set("Range", one)
	} else {
		x.r.Header.Del("Range")
	}
	ranges := &rangeWriter{ResponseWriter: x.w}
	http.ServeContent(ranges, x.r, "", time.Time{}, f.Content)
	if ranges.refused {
		h.Set("Cache-Control", "no-store") // ServeContent has removed it
		return fault.New(fault.RangeNotSatisfiable, api.CodeRangeNotSatisfiable, "The range begins after the last byte.")
	}
	return nil
}

// rangeForm is the form of one range. The unit may be written in any case.
var rangeForm = regexp.MustCompile(`^(?i:bytes)=(?:(\d+)-(\d*)|-(\d*[1-9]\d*))$`)

// byteRange is the range that a request asks for, as net/http reads it; "" when
// everything is sent: because the unit is not known, or the range is invalid
// (RFC 9110, section 14.2), or there are several, which would need another media
// type.
func byteRange(value string) string {
	parts := rangeForm.FindStringSubmatch(value)
	if parts == nil {
		return ""
	}
	first, errFirst := strconv.ParseInt("0"+parts[1], 10, 64)
	last, errLast := strconv.ParseInt("0"+cmp.Or(parts[2], parts[3]), 10, 64)
	if errFirst != nil || errLast != nil || parts[2] != "" && last < first {
		return ""
	}
	return strings.ToLower(value)
}

// rangeWriter holds back the refusal of a range, which ServeContent writes
// without the envelope.
type rangeWriter struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader notes a refusal, and passes on any other status.
func (w *rangeWriter) WriteHeader(status int) {
	if status == http.StatusRequestedRangeNotSatisfiable {
		w.refused = true
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write passes bytes on, unless the range is refused.
func (w *rangeWriter) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p) //nolint:wrapcheck // a ResponseWriter returns errors unchanged
}

const digestHeader = "Content-Digest"

// announcedDigest returns the SHA-256 that a request announces (RFC 9530), in
// hexadecimal. It ignores digests of other kinds.
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

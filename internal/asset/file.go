package asset

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
)

// File is a file with its compressed variants.
type File struct {
	media  string
	digest string
	plain  []byte
	brotli []byte // nil: there is no such variant
	gzip   []byte // nil: there is no such variant
}

// Read reads a file and the variants of it that the build made, name.br and
// name.gz. The file itself may be missing when name.gz is there.
func Read(files fs.FS, name, media string) (*File, error) {
	f := &File{media: media}
	var err error
	for _, variant := range []struct {
		ending string
		into   *[]byte
	}{{".br", &f.brotli}, {".gz", &f.gzip}, {"", &f.plain}} {
		*variant.into, err = fs.ReadFile(files, name+variant.ending)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read %s: %w", name+variant.ending, err)
		}
	}
	if err != nil && f.gzip == nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if err != nil {
		if f.plain, err = unpack(f.gzip); err != nil {
			return nil, fmt.Errorf("unpack %s.gz: %w", name, err)
		}
	}
	return f.digested(), nil
}

// Of makes a file of content that was made while the service started.
func Of(content []byte, media string) (*File, error) {
	packed, err := Gzip(content)
	if err != nil {
		return nil, err
	}
	f := &File{media: media, plain: content, gzip: packed}
	return f.digested(), nil
}

func (f *File) digested() *File {
	sum := sha256.Sum256(f.plain)
	f.digest = hex.EncodeToString(sum[:16])
	return f
}

// Serve answers a GET with the file, or says that the browser has it already. The
// caller sets Cache-Control.
func (f *File) Serve(w http.ResponseWriter, r *http.Request) {
	body, coding := f.variant(r)
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	etag := `"` + f.digest + `"`
	if coding != "" {
		etag = `"` + f.digest + "-" + coding + `"`
	}
	h.Set("ETag", etag)
	if known(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	f.write(w, r, http.StatusOK, body, coding)
}

// ServeInstead answers a request for something that is not there with the file, as
// a page that says so. Browsers do not keep it.
func (f *File) ServeInstead(w http.ResponseWriter, r *http.Request) {
	body, coding := f.variant(r)
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-store")
	f.write(w, r, http.StatusNotFound, body, coding)
}

// variant is the smallest variant of the file that the browser accepts.
func (f *File) variant(r *http.Request) (body []byte, coding string) {
	switch accepted := r.Header.Get("Accept-Encoding"); {
	case f.brotli != nil && Accepts(accepted, "br"):
		return f.brotli, "br"
	case f.gzip != nil && Accepts(accepted, "gzip"):
		return f.gzip, "gzip"
	}
	return f.plain, ""
}

func (f *File) write(w http.ResponseWriter, r *http.Request, status int, body []byte, coding string) {
	h := w.Header()
	h.Set("Content-Type", f.media)
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// known says whether If-None-Match names an ETag (RFC 9110, section 13.1.2).
func known(header, etag string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}

// Accepts says whether an Accept-Encoding header names a coding and does not
// refuse it (RFC 9110, section 12.5.3).
func Accepts(header, coding string) bool {
	for member := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(member, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		key, value, weighted := strings.Cut(strings.ReplaceAll(weight, " ", ""), "=")
		if !weighted || !strings.EqualFold(key, "q") {
			return true
		}
		q, err := strconv.ParseFloat(value, 64)
		return err == nil && q > 0
	}
	return false
}

// Gzip compresses content.
func Gzip(content []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return b.Bytes(), nil
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read the content: %w", err)
	}
	return content, nil
}

package asset

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// File is a file with its compressed variants. They are read, made and unpacked
// when somebody first asks for the file: most files of a service are never asked
// for.
type File struct {
	media string
	load  func() (variants, error)
}

type variants struct {
	digest string // of plain
	plain  []byte
	brotli []byte // nil: there is no such variant
	gzip   []byte // nil: there is no such variant
}

// Read finds a file and the variants of it that the build made, name.br and
// name.gz. The file itself may be missing when name.gz is there.
func Read(files fs.FS, name, media string) (*File, error) {
	if _, err := fs.Stat(files, name); err != nil {
		if _, packed := fs.Stat(files, name+".gz"); packed != nil {
			return nil, fmt.Errorf("find %s: %w", name, err)
		}
	}
	return &File{media: media, load: sync.OnceValues(func() (variants, error) { return read(files, name) })}, nil
}

func read(files fs.FS, name string) (variants, error) {
	var v variants
	var err error
	for _, variant := range []struct {
		ending string
		into   *[]byte
	}{{".br", &v.brotli}, {".gz", &v.gzip}, {"", &v.plain}} {
		*variant.into, err = fs.ReadFile(files, name+variant.ending)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return variants{}, fmt.Errorf("read %s: %w", name+variant.ending, err)
		}
	}
	if err != nil {
		if v.plain, err = unpack(v.gzip); err != nil {
			return variants{}, fmt.Errorf("unpack %s.gz: %w", name, err)
		}
	}
	v.digest = digest(v.plain)
	return v, nil
}

// Of is a file whose content the service makes.
func Of(content func() ([]byte, error), media string) *File {
	return &File{media: media, load: sync.OnceValues(func() (variants, error) {
		plain, err := content()
		if err != nil {
			return variants{}, err
		}
		packed, err := new(Packer).Gzip(plain)
		return variants{digest: digest(plain), plain: plain, gzip: packed}, err
	})}
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// Serve answers a GET with the file, or says that the browser has it already. The
// caller sets Cache-Control.
func (f *File) Serve(w http.ResponseWriter, r *http.Request) {
	v, err := f.load()
	if err != nil {
		unreadable(w)
		return
	}
	body, coding := v.accepted(r)
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	etag := `"` + v.digest + `"`
	if coding != "" {
		etag = `"` + v.digest + "-" + coding + `"`
	}
	h.Set("ETag", etag)
	if known(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	f.write(w, r, http.StatusOK, body, coding)
}

// ServeInstead answers a request for something that does not exist: the file is the
// page that says so. Browsers do not keep it.
func (f *File) ServeInstead(w http.ResponseWriter, r *http.Request) {
	v, err := f.load()
	if err != nil {
		unreadable(w)
		return
	}
	body, coding := v.accepted(r)
	h := w.Header()
	h.Add("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-store")
	f.write(w, r, http.StatusNotFound, body, coding)
}

// unreadable answers when a file is damaged. Files are part of the program, so the
// program is damaged.
func unreadable(w http.ResponseWriter) {
	http.Error(w, "This file of the service is damaged. Install the service again.", http.StatusInternalServerError)
}

// accepted is the smallest variant that the browser accepts.
func (v variants) accepted(r *http.Request) (body []byte, coding string) {
	switch accepts := r.Header.Get("Accept-Encoding"); {
	case v.brotli != nil && Accepts(accepts, "br"):
		return v.brotli, "br"
	case v.gzip != nil && Accepts(accepts, "gzip"):
		return v.gzip, "gzip"
	}
	return v.plain, ""
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

package asset_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/conclave-rooms/conclave/internal/asset"
)

func get(f *asset.File, accept, has string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/f.js", http.NoBody)
	r.Header.Set("Accept-Encoding", accept)
	r.Header.Set("If-None-Match", has)
	rec := httptest.NewRecorder()
	f.Serve(rec, r)
	return rec
}

// A browser gets the smallest variant that it accepts, and nothing at all when it
// has that already.
func TestABrowserGetsTheSmallestVariantItAccepts(t *testing.T) {
	t.Parallel()
	packed, err := new(asset.Packer).Gzip([]byte("plain"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := asset.Read(fstest.MapFS{"f.js": {Data: []byte("plain")}, "f.js.br": {Data: []byte("brotli")}, "f.js.gz": {Data: packed}}, "f.js", "text/javascript")
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]bool{}
	for accept, want := range map[string]struct{ coding, body string }{
		"gzip, deflate, br, zstd": {"br", "brotli"},
		"gzip":                    {"gzip", string(packed)},
		"br;q=0, gzip;q=0.5":      {"gzip", string(packed)},
		"BR; q=1":                 {"br", "brotli"},
		"":                        {"", "plain"},
		"identity":                {"", "plain"},
		"gzip;q=0.0":              {"", "plain"},
		"brx":                     {"", "plain"},
	} {
		rec := get(f, accept, "")
		h := rec.Header()
		if h.Get("Content-Encoding") != want.coding || rec.Body.String() != want.body || h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: %v and %q, want %q and %q", accept, h, rec.Body, want.coding, want.body)
		}
		tag := h.Get("ETag")
		tags[tag] = true
		for _, has := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
			if again := get(f, accept, has); again.Code != http.StatusNotModified || again.Body.Len() > 0 || again.Header().Get("ETag") != tag {
				t.Errorf("%q with %s: %d and %q", accept, has, again.Code, again.Body)
			}
		}
		if again := get(f, accept, `"other"`); again.Code != http.StatusOK {
			t.Errorf("%q with another ETag: %d", accept, again.Code)
		}
	}
	if len(tags) != 3 {
		t.Errorf("the variants have the ETags %v, want three", tags)
	}
}

// A file that is only there compressed is unpacked for those who need it.
func TestACompressedFileIsUnpackedForThoseWhoNeedIt(t *testing.T) {
	t.Parallel()
	packed, err := new(asset.Packer).Gzip([]byte("plain"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := asset.Read(fstest.MapFS{"f.js.gz": {Data: packed}}, "f.js", "text/javascript")
	if err != nil {
		t.Fatal(err)
	}
	if got := get(f, "", "").Body.String(); got != "plain" {
		t.Errorf("without compression: %q", got)
	}
	if _, err := asset.Read(fstest.MapFS{}, "f.js", "text/javascript"); err == nil {
		t.Error("a file that is not there can be read")
	}
}

// Content that the service makes itself is compressed too.
func TestContentOfTheServiceIsCompressed(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("the same again ", 1000)
	f := asset.Of(func() ([]byte, error) { return []byte(content), nil }, "application/json")
	if rec := get(f, "gzip", ""); rec.Body.Len() > len(content)/10 {
		t.Errorf("%d of %d bytes are sent", rec.Body.Len(), len(content))
	}
	if rec := get(f, "", ""); rec.Body.String() != content {
		t.Error("the plain content differs")
	}
}

// A damaged file is an error of the service, and nothing that a browser keeps.
func TestADamagedFileIsAnErrorOfTheService(t *testing.T) {
	t.Parallel()
	f, err := asset.Read(fstest.MapFS{"f.js.gz": {Data: []byte("this is not gzip")}}, "f.js", "text/javascript")
	if err != nil {
		t.Fatal(err)
	}
	rec := get(f, "gzip", "")
	if h := rec.Header(); rec.Code != http.StatusInternalServerError || h.Get("ETag") != "" || h.Get("Content-Encoding") != "" {
		t.Errorf("%d with %v and %q", rec.Code, h, rec.Body)
	}
}

// Contents that are compressed at the same time and one after another do not mix.
func TestPackerDoesNotMixContents(t *testing.T) {
	t.Parallel()
	var packer asset.Packer
	var at sync.WaitGroup
	for i := range 8 {
		at.Go(func() {
			for n := range 20 {
				content := strings.Repeat(strconv.Itoa(i)+"/"+strconv.Itoa(n)+" ", 100)
				packed, err := packer.Gzip([]byte(content))
				if err != nil {
					t.Error(err)
					return
				}
				r, err := gzip.NewReader(bytes.NewReader(packed))
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := io.ReadAll(r); err != nil || string(got) != content {
					t.Errorf("%d bytes and %v, want the content", len(got), err)
				}
			}
		})
	}
	at.Wait()
}

package docs

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/conclave-rooms/conclave/internal/asset"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// reference is the script that draws the API reference.
const reference = "static/reference.js"

// open serves the pages with stand-ins for what a build makes, or without that. The
// real files are only there after a build.
func open(t *testing.T, script string) http.Handler {
	t.Helper()
	own := fstest.MapFS{}
	for _, pattern := range []string{"static/*", "pages/*"} {
		names, err := fs.Glob(files, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !slices.Contains([]string{".html", ".css", ".js"}, path.Ext(name)) {
				continue // compressed, or a font: made by a build
			}
			content, err := fs.ReadFile(files, name)
			if err != nil {
				t.Fatal(err)
			}
			own[name] = &fstest.MapFile{Data: content}
		}
	}
	if script != "" {
		own[reference+".gz"] = packed(t, script)
		own["static/look.css.gz"] = packed(t, ":root {}")
		own["static/inter.woff2"] = &fstest.MapFile{Data: []byte("wOF2")}
	}
	h, err := handler(own, []Source{{"Rooms API", "/api/v1/openapi.json"}, {"Accounts", "/account/v1/openapi.json"}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func packed(t *testing.T, text string) *fstest.MapFile {
	t.Helper()
	content, err := new(asset.Packer).Gzip([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: content}
}

func get(t *testing.T, h http.Handler, address, encoding string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", address, http.NoBody)
	r.Header.Set("Accept-Encoding", encoding)
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec
}

func TestThePagesLoadOnlyWhatIsThere(t *testing.T) {
	t.Parallel()
	links := regexp.MustCompile(`(?:src|href)="([^"#]+)`)
	for _, script := range []string{"", "draw()"} {
		h := open(t, script)
		for _, page := range []string{"/docs", "/docs/errors"} {
			rec := get(t, h, page, "")
			if rec.Code != http.StatusOK || rec.Header().Get("Content-Type") != "text/html; charset=utf-8" {
				t.Fatalf("%s: %d %v", page, rec.Code, rec.Header())
			}
			if policy := rec.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src 'self' 'unsafe-inline'") {
				t.Errorf("%s: the policy is %s", page, policy)
			}
			body := rec.Body.String()
			if regexp.MustCompile(`<script>|<script [^s]| on[a-z]+=|<style`).MatchString(body) {
				t.Errorf("%s has a script or style of its own, which the policy stops", page)
			}
			for _, link := range links.FindAllStringSubmatch(body, -1) {
				if slices.Contains([]string{"/api/v1/openapi.json", "/account/v1/openapi.json", "/", "/favicon.svg"}, link[1]) {
					continue // other parts of the service
				}
				if got := get(t, h, link[1], "").Code; got != http.StatusOK {
					t.Errorf("%s leads to %s: %d", page, link[1], got)
				}
			}
		}
	}
}

func TestTheReference(t *testing.T) {
	t.Parallel()
	without := get(t, open(t, ""), "/docs", "").Body.String()
	if !strings.Contains(without, "was built without the script") || strings.Contains(without, "<script") || !strings.Contains(without, "/api/v1/openapi.json") {
		t.Errorf("without the script:\n%s", without)
	}
	h := open(t, "draw()")
	with := get(t, h, "/docs", "").Body.String()
	if !strings.Contains(with, `data-sources="[{&#34;title&#34;:&#34;Rooms API&#34;,&#34;url&#34;:&#34;/api/v1/openapi.json&#34;},{&#34;title&#34;:&#34;Accounts&#34;,&#34;url&#34;:&#34;/account/v1/openapi.json&#34;}]"`) ||
		!strings.Contains(with, `themselves: <a href="/api/v1/openapi.json">Rooms API</a>, <a href="/account/v1/openapi.json">Accounts</a>.`) {
		t.Errorf("with the script:\n%s", with)
	}
	plain, packed := get(t, h, "/docs/static/reference.js", ""), get(t, h, "/docs/static/reference.js", "gzip, br")
	if plain.Body.String() != "draw()" || plain.Header().Get("Content-Encoding") != "" {
		t.Errorf("plain: %q", plain.Body)
	}
	r, err := gzip.NewReader(packed.Body)
	if err != nil || packed.Header().Get("Content-Encoding") != "gzip" {
		t.Fatalf("compressed: %v", err)
	}
	if unpacked, err := io.ReadAll(r); err != nil || string(unpacked) != "draw()" {
		t.Errorf("compressed: %q %v", unpacked, err)
	}
	for _, missing := range []string{"/docs/static/", "/docs/static/nothing.js", "/docs/static/reference.js.gz", "/docs/static/..%2fdocs.go", "/docs/nothing"} {
		if got := get(t, h, missing, "").Code; got != http.StatusNotFound {
			t.Errorf("%s: %d", missing, got)
		}
	}
}

func TestEveryCodeHasItsPlace(t *testing.T) {
	t.Parallel()
	body := get(t, open(t, ""), "/docs/errors", "").Body.String()
	for _, doc := range rest.Codes() {
		if strings.Count(body, `id="`+doc.Code+`"`) != 1 {
			t.Errorf("%s has no place on the page", doc.Code)
		}
	}
}

package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"
)

// Files with a hash in their name are kept by browsers for good, everything else is
// checked each time, but sent only once. Files that the build compressed are sent
// compressed.
func TestTheInterfaceIsSentOnce(t *testing.T) {
	t.Parallel()
	s, err := newSite(fstest.MapFS{
		"index.html": {Data: []byte("page")}, "index.html.br": {Data: []byte("p")},
		"assets/a-1.js": {Data: []byte("script")}, "assets/a-1.js.br": {Data: []byte("s")}, "favicon.svg": {Data: []byte("icon")},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	get := func(path, has string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		r.Header.Set("Accept-Encoding", "gzip, br")
		r.Header.Set("If-None-Match", has)
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		return rec
	}
	const forGood, again = "public, max-age=31536000, immutable", "no-cache"
	for path, want := range map[string]struct{ body, media, keep string }{
		"/":              {"p", "text/html; charset=utf-8", again},
		"/abc-defg-hjk":  {"p", "text/html; charset=utf-8", again},
		"/assets/a-1.js": {"s", "text/javascript; charset=utf-8", forGood},
		"/favicon.svg":   {"icon", "image/svg+xml", again},
	} {
		rec := get(path, "")
		h := rec.Header()
		if rec.Body.String() != want.body || h.Get("Content-Type") != want.media || h.Get("Cache-Control") != want.keep {
			t.Errorf("%s: %q with %v, want %v", path, rec.Body, h, want)
		}
		if rec := get(path, h.Get("ETag")); rec.Code != http.StatusNotModified || rec.Body.Len() > 0 {
			t.Errorf("%s again: %d with %d bytes", path, rec.Code, rec.Body.Len())
		}
	}
	for _, path := range []string{"/assets/a-1.js.br", "/assets/none.js"} {
		if rec := get(path, ""); rec.Code != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, rec.Code)
		}
	}
}

// At an unknown address a browser gets a page that says so, and a program gets a
// sentence. The address of a room may end in a slash.
func TestAnUnknownAddressShowsAPageThatSaysSo(t *testing.T) {
	t.Parallel()
	s, err := newSite(fstest.MapFS{"index.html": {Data: []byte("page")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, accept string
		status       int
		body, media  string
	}{
		{"/abc-defg-hjk/more", "text/html,application/xhtml+xml,*/*;q=0.8", http.StatusNotFound, "page", "text/html; charset=utf-8"},
		{"/abc-defg-hjk/more", "*/*", http.StatusNotFound, "There is no such page.\n", "text/plain; charset=utf-8"},
		{"/abc-defg-hjk/", "text/html", http.StatusOK, "page", "text/html; charset=utf-8"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, c.path, http.NoBody)
		r.Header.Set("Accept", c.accept)
		r.Header.Set("If-None-Match", "*")
		if c.status == http.StatusOK {
			r.Header.Del("If-None-Match")
		}
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		if rec.Code != c.status || rec.Body.String() != c.body || rec.Header().Get("Content-Type") != c.media {
			t.Errorf("%s for %s: %d, %q, %v", c.path, c.accept, rec.Code, rec.Body, rec.Header())
		}
	}
}

package server

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/conclave-rooms/conclave/internal/asset"
	"github.com/conclave-rooms/conclave/web"
)

// site serves the meeting interface: one page for / and every room's link, its
// files under /assets/, and the manifest of them all.
type site struct {
	files     map[string]*asset.File // by name; empty when the interface was not built
	manifest  func() ([]byte, error) // JSON
	ancestors []string               // origins that may frame the page
}

// newSite finds the files of the built interface. They are read when somebody
// asks for them.
func newSite(files fs.FS, ancestors []string) (site, error) {
	names, err := web.Names(files)
	if err != nil {
		return site{}, err
	}
	s := site{files: map[string]*asset.File{}, ancestors: ancestors}
	for _, name := range names {
		if s.files[name], err = asset.Read(files, name, mediaOf(name)); err != nil {
			return site{}, fmt.Errorf("read the interface: %w", err)
		}
	}
	s.manifest = sync.OnceValues(func() ([]byte, error) {
		m, err := web.ManifestOf(files)
		if err != nil {
			return nil, err
		}
		return json.Marshal(m)
	})
	return s, nil
}

// page is the file with the one page of the interface.
const page = "index.html"

// mediaOf is the media type of a file of the interface. The table of the system
// differs between machines.
func mediaOf(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	case ".wasm":
		return "application/wasm"
	case ".json":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

// policy is the Content-Security-Policy of the page. Scripts come from files of
// this address only; media and workers of the interface need blob:.
func (s site) policy() string {
	ancestors := "'self'"
	if len(s.ancestors) > 0 {
		ancestors = "'self' " + strings.Join(s.ancestors, " ")
	}
	return strings.Join([]string{
		"default-src 'self'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:", "font-src 'self'",
		"media-src 'self' blob: mediastream:", "worker-src 'self' blob:", "connect-src 'self' ws: wss:", "object-src 'none'", "base-uri 'none'",
		"form-action 'self'", "frame-ancestors " + ancestors,
	}, "; ")
}

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "Only GET is possible here.")
		return
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", s.policy())
	h.Set("Referrer-Policy", "no-referrer") // a room's link must not reach other sites
	h.Set("Permissions-Policy", "camera=(self), microphone=(self), display-capture=(self), geolocation=()")
	name := strings.TrimPrefix(r.URL.Path, "/")
	switch {
	case strings.HasPrefix(name, "assets/"):
		s.asset(w, r, name)
	case name == "favicon.svg" || name == "favicon.ico" || name == "robots.txt" || name == "manifest.webmanifest":
		s.asset(w, r, name)
	case "/"+name == web.ManifestPath:
		s.list(w)
	case strings.Contains(strings.TrimSuffix(name, "/"), "/"):
		s.missing(w, r)
	default:
		s.page(w, r)
	}
}

func (s site) list(w http.ResponseWriter) {
	manifest, err := s.manifest()
	if err != nil {
		refuse(w, http.StatusInternalServerError, "The files of the interface are damaged. Install the service again.")
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-cache")
	_, _ = w.Write(manifest) // the client may be gone
}

// asset serves a file of the interface. Files under assets/ have a hash of
// their content in their name, so they never change.
func (s site) asset(w http.ResponseWriter, r *http.Request, name string) {
	f := s.files[name]
	if f == nil {
		refuse(w, http.StatusNotFound, "There is no such file.")
		return
	}
	keep := "no-cache"
	if strings.HasPrefix(name, "assets/") {
		keep = "public, max-age=31536000, immutable"
	}
	w.Header().Set("Cache-Control", keep)
	f.Serve(w, r)
}

func (s site) page(w http.ResponseWriter, r *http.Request) {
	if s.files[page] == nil {
		refuse(w, http.StatusServiceUnavailable, "The meeting interface was not built into this binary. Build it with `make build`.")
		return
	}
	s.asset(w, r, page)
}

// missing says that no page has this address: to a browser with the page of the
// interface, which knows no such address either.
func (s site) missing(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Accept")
	if f := s.files[page]; f != nil && strings.Contains(r.Header.Get("Accept"), "text/html") {
		f.ServeInstead(w, r)
		return
	}
	refuse(w, http.StatusNotFound, "There is no such page.")
}

// refuse answers with a sentence as plain text, because only people at a
// command line read it.
func refuse(w http.ResponseWriter, status int, sentence string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Del("Cache-Control")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, sentence+"\n") // the client may be gone
}

package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"github.com/conclave-rooms/conclave/web"
)

// site serves the meeting interface: one page for / and every room's link, its
// files under /assets/, and the manifest of them all.
type site struct {
	files     fs.FS
	manifest  []byte   // JSON
	ancestors []string // origins that may frame the page
}

// newSite reads the built interface once, for its manifest.
func newSite(files fs.FS, ancestors []string) (site, error) {
	m, err := web.ManifestOf(files)
	if err != nil {
		return site{}, err
	}
	manifest, err := json.Marshal(m)
	if err != nil {
		return site{}, fmt.Errorf("write the manifest: %w", err)
	}
	return site{files: files, manifest: manifest, ancestors: ancestors}, nil
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
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-cache")
		_, _ = w.Write(s.manifest) // the client may be gone
	case strings.Contains(name, "/"):
		refuse(w, http.StatusNotFound, "There is no such page.")
	default:
		s.page(w, r)
	}
}

// asset serves a file of the interface. Files under assets/ have a hash of
// their content in their name, so they never change.
func (s site) asset(w http.ResponseWriter, r *http.Request, name string) {
	if info, err := fs.Stat(s.files, name); err != nil || info.IsDir() {
		refuse(w, http.StatusNotFound, "There is no such file.")
		return
	}
	if strings.HasPrefix(name, "assets/") {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeFileFS(w, r, s.files, name) //nolint:gosec // the files are embedded, and nothing else can be reached
}

func (s site) page(w http.ResponseWriter, _ *http.Request) {
	page, err := fs.ReadFile(s.files, "index.html")
	if errors.Is(err, fs.ErrNotExist) {
		refuse(w, http.StatusServiceUnavailable, "The meeting interface was not built into this binary. Build it with `make build`.")
		return
	}
	if err != nil {
		refuse(w, http.StatusInternalServerError, "The page cannot be read.")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(page) // the client may be gone
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

package docs

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"github.com/conclave-rooms/conclave/internal/rest"
)

//go:embed static pages
var files embed.FS

// reference is the script that draws the API reference, compressed by the
// build: browsers accept it so, and the program stays small.
const reference = "static/reference.js.gz"

// Source is one OpenAPI document to show.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Handler serves the pages. The sources are the OpenAPI documents of the edge's
// groups.
func Handler(sources []Source) (http.Handler, error) { return handler(files, sources) }

func handler(files fs.FS, sources []Source) (http.Handler, error) {
	s := &site{files: files}
	built := true
	if _, err := fs.Stat(files, reference); err != nil {
		built = false
	}
	list, err := json.Marshal(sources)
	if err != nil {
		return nil, fmt.Errorf("list the OpenAPI documents: %w", err)
	}
	templates, err := template.ParseFS(files, "pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the pages: %w", err)
	}
	mux := http.NewServeMux()
	for path, page := range map[string]struct {
		template string
		data     any
	}{
		"GET /docs":        {"reference.html", map[string]any{"Built": built, "Sources": sources, "List": string(list)}},
		"GET /docs/errors": {"errors.html", rest.Codes()},
	} {
		var b bytes.Buffer
		if err := templates.ExecuteTemplate(&b, page.template, page.data); err != nil {
			return nil, fmt.Errorf("make the page %s: %w", page.template, err)
		}
		mux.Handle(path, s.page(b.Bytes()))
	}
	mux.HandleFunc("GET /docs/static/{name}", s.static)
	mux.HandleFunc("GET /docs/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/docs", http.StatusPermanentRedirect)
	})
	return mux, nil
}

type site struct{ files fs.FS }

// policy lets the pages load only files of this service. The reference sets
// styles from its script, hence unsafe-inline for styles alone.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func headers(h http.Header, media string) {
	h.Set("Content-Type", media)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
}

func (s *site) page(html []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		headers(w.Header(), "text/html; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(html)))
		_, _ = w.Write(html) // the client may be gone
	})
}

func (s *site) static(w http.ResponseWriter, r *http.Request) {
	media := ""
	name := r.PathValue("name")
	switch {
	case strings.HasSuffix(name, ".css"):
		media = "text/css; charset=utf-8"
	case strings.HasSuffix(name, ".js"):
		media = "text/javascript; charset=utf-8"
	}
	content, err := fs.ReadFile(s.files, "static/"+name)
	compressed := false
	if err != nil && "static/"+name+".gz" == reference {
		content, err = fs.ReadFile(s.files, reference)
		compressed = true
	}
	if err != nil || media == "" {
		http.NotFound(w, r)
		return
	}
	headers(w.Header(), media)
	w.Header().Set("Vary", "Accept-Encoding")
	if !compressed || strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		if compressed {
			w.Header().Set("Content-Encoding", "gzip")
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content) //nolint:gosec // our own file, made at build time
		return
	}
	plain, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	_, _ = io.Copy(w, plain) //nolint:gosec // our own file, made at build time
}

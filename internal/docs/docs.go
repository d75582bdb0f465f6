package docs

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/conclave-rooms/conclave/internal/asset"
	"github.com/conclave-rooms/conclave/internal/rest"
)

//go:embed static pages
var files embed.FS

// Source is one OpenAPI document to show.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Handler serves the pages. The sources are the OpenAPI documents of the edge's
// groups.
func Handler(sources []Source) (http.Handler, error) { return handler(files, sources) }

// page is what a template is filled with.
type page struct {
	Path  string
	Title string
	// Built says whether the build has made what the pages load.
	Built   bool
	Sources []Source
	List    string // the sources, as JSON
}

// Codes is what the page about errors lists.
func (page) Codes() []rest.CodeDoc { return rest.Codes() }

func handler(files fs.FS, sources []Source) (http.Handler, error) {
	static, err := readStatic(files)
	if err != nil {
		return nil, err
	}
	_, built := static["reference.js"] // the build makes only compressed variants, so that the program stays small
	list, err := json.Marshal(sources)
	if err != nil {
		return nil, fmt.Errorf("list the OpenAPI documents: %w", err)
	}
	templates, err := template.ParseFS(files, "pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the pages: %w", err)
	}
	mux := http.NewServeMux()
	for name, p := range map[string]page{
		"reference.html": {Path: "/docs", Title: "API reference", Built: built, Sources: sources, List: string(list)},
		"errors.html":    {Path: "/docs/errors", Title: "Error codes", Built: built},
	} {
		mux.Handle("GET "+p.Path, serve(asset.Of(func() ([]byte, error) {
			var b bytes.Buffer
			if err := templates.ExecuteTemplate(&b, name, p); err != nil {
				return nil, fmt.Errorf("make the page %s: %w", name, err)
			}
			return b.Bytes(), nil
		}, "text/html; charset=utf-8")))
	}
	for name, f := range static {
		mux.Handle("GET /docs/static/"+name, serve(f))
	}
	mux.HandleFunc("GET /docs/{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/docs", http.StatusPermanentRedirect)
	})
	return mux, nil
}

// readStatic reads the scripts, styles and fonts of the pages, by name.
func readStatic(files fs.FS) (map[string]*asset.File, error) {
	entries, err := fs.ReadDir(files, "static")
	if err != nil {
		return nil, fmt.Errorf("list the files of the pages: %w", err)
	}
	static := map[string]*asset.File{}
	for _, entry := range entries {
		name := strings.TrimSuffix(strings.TrimSuffix(entry.Name(), ".br"), ".gz")
		var media string
		switch path.Ext(name) {
		case ".css":
			media = "text/css; charset=utf-8"
		case ".js":
			media = "text/javascript; charset=utf-8"
		case ".woff2":
			media = "font/woff2"
		default:
			continue
		}
		if static[name] != nil {
			continue
		}
		if static[name], err = readFile(files, "static/"+name, media); err != nil {
			return nil, fmt.Errorf("read the files of the pages: %w", err)
		}
	}
	return static, nil
}

// readFile reads a file with the variants that the build made of it. Text files of the
// repository have no such variants. The service compresses them.
func readFile(files fs.FS, name, media string) (*asset.File, error) {
	if _, err := fs.Stat(files, name+".gz"); err == nil || !strings.HasPrefix(media, "text/") {
		return asset.Read(files, name, media)
	}
	return asset.Of(func() ([]byte, error) { return fs.ReadFile(files, name) }, media), nil
}

// policy lets the pages load only files of this service. The reference sets
// styles from its script, hence unsafe-inline for styles alone.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func serve(f *asset.File) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		f.Serve(w, r)
	})
}

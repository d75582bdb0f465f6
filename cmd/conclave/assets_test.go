package main_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/web"
)

// A service serves the files and the manifest that the same binary lists.
func TestAServiceServesTheFilesOfItsBinary(t *testing.T) {
	t.Parallel()
	listed := command(t, "assets", "list")
	if listed.status != 0 {
		t.Fatalf("assets list: status %d, %s", listed.status, listed.stderr)
	}
	p := start(t, "serve", db.Config{Dir: t.TempDir()})
	defer p.stop()
	if status, body := p.call(http.MethodGet, web.ManifestPath, "", ""); status != http.StatusOK || string(body) != strings.TrimSuffix(listed.stdout, "\n") {
		t.Errorf("the service publishes %d %s, its binary lists %s", status, body, listed.stdout)
	}
	file := filepath.Join(t.TempDir(), "assets.json")
	if err := os.WriteFile(file, []byte(listed.stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"--manifest", file}} {
		r := command(t, append([]string{"assets", "verify", p.url}, args...)...)
		if r.status != 0 || !strings.HasPrefix(r.stdout, "All ") {
			t.Errorf("assets verify %v: status %d, %s%s", args, r.status, r.stdout, r.stderr)
		}
	}
}

// Each file that is missing or different is named.
func TestMissingAndDifferentFilesAreNamed(t *testing.T) {
	t.Parallel()
	served := map[string]string{"/": "page", "/changed.js": "listens", "/longer.js": "script, and more", "/same.js": "script"}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := served[r.URL.Path]
		switch {
		case r.URL.Path == "/elsewhere.js":
			http.Redirect(w, r, "/same.js", http.StatusFound)
		case !ok:
			http.NotFound(w, r)
		default:
			_, _ = io.WriteString(w, text)
		}
	}))
	defer service.Close()
	verify := func(paths ...string) result {
		m := web.Manifest{Files: []web.ManifestFile{{Path: "/", SHA256: digest("page"), Bytes: 4}}}
		for _, path := range paths {
			m.Files = append(m.Files, web.ManifestFile{Path: path, SHA256: digest("script"), Bytes: 6})
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "assets.json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return command(t, "assets", "verify", service.URL+"/", "--manifest", file)
	}
	if r := verify("/same.js"); r.status != 0 || !strings.HasPrefix(r.stdout, "All 2 files") {
		t.Errorf("the same files: status %d, %s%s", r.status, r.stdout, r.stderr)
	}
	r := verify("/changed.js", "/elsewhere.js", "/longer.js", "/missing.js", "/same.js")
	want := "/changed.js is different\n/elsewhere.js is missing: the service answers 302\n/longer.js is different\n/missing.js is missing: the service answers 404\n"
	if r.status != 1 || r.stdout != want || !strings.Contains(r.stderr, "4 of 6 files") {
		t.Errorf("other files: status %d, %s%s; want\n%s", r.status, r.stdout, r.stderr, want)
	}
	service.Close()
	if r := verify(); r.status != 1 || r.stdout != "" {
		t.Errorf("no service: status %d, %s%s", r.status, r.stdout, r.stderr)
	}
	if r := command(t, "assets", "verify", "meet.example.com"); r.status != 1 || !strings.Contains(r.stderr, "https://meet.example.com") {
		t.Errorf("no address: status %d, %s", r.status, r.stderr)
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

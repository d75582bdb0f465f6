package server_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// The reference and the documents that it draws are sent compressed, and only once.
// The script of the reference is there only after a build.
func TestTheDocumentsAreSentOnce(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	get := func(path, has string) servertest.Answer {
		return s.Send(servertest.Request{Method: http.MethodGet, Path: path, Header: http.Header{
			"Accept-Encoding": {"gzip, deflate, br"}, "If-None-Match": {has},
		}})
	}
	most := map[string]int{ // bytes
		"/api/v1/openapi.json": 80_000, "/meet/v1/openapi.json": 40_000, "/account/v1/openapi.json": 30_000, "/docs": 2_000, "/docs/errors": 10_000,
	}
	for _, file := range regexp.MustCompile(`/docs/static/[a-z.0-9]+`).FindAllString(string(s.Send(servertest.Request{Method: http.MethodGet, Path: "/docs"}).Body), -1) {
		most[file] = 10_000
	}
	for file, bytes := range map[string]int{"/docs/static/reference.js": 1_000_000, "/docs/static/inter.woff2": 60_000} {
		if _, built := most[file]; built {
			most[file] = bytes
		}
	}
	for path, bytes := range most {
		first := get(path, "")
		if first.Status != http.StatusOK || len(first.Body) > bytes {
			t.Errorf("%s: %d with %d bytes, want at most %d", path, first.Status, len(first.Body), bytes)
		}
		if coding := first.Header.Get("Content-Encoding"); coding == "" && path != "/docs/static/inter.woff2" {
			t.Errorf("%s is not compressed", path)
		}
		if keep := first.Header.Get("Cache-Control"); keep != "no-cache" {
			t.Errorf("%s: Cache-Control %q; a browser that keeps it must ask whether it has changed", path, keep)
		}
		if again := get(path, first.Header.Get("ETag")); again.Status != http.StatusNotModified || len(again.Body) > 0 {
			t.Errorf("%s again: %d with %d bytes, want 304 and none", path, again.Status, len(again.Body))
		}
	}
}

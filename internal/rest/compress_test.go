package rest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Only long answers to GET are compressed, and none that a page of another site
// may have asked for.
func TestCompression(t *testing.T) {
	t.Parallel()
	long := answer{Status: http.StatusOK, Body: []byte(`"` + strings.Repeat("again ", 1000) + `"`)}
	short := answer{Status: http.StatusOK, Body: []byte(`"once"`)}
	for name, c := range map[string]struct {
		method, accept, site string
		answer               answer
		packed               bool
	}{
		"long":                   {"GET", "gzip, br", "", long, true},
		"from a page of ours":    {"GET", "gzip", "same-origin", long, true},
		"typed into the address": {"GET", "gzip", "none", long, true},
		"from another site":      {"GET", "gzip", "cross-site", long, false},
		"from a sister site":     {"GET", "gzip", "same-site", long, false},
		"may hold a new secret":  {"POST", "gzip", "", long, false},
		"short":                  {"GET", "gzip", "", short, false},
		"not accepted":           {"GET", "", "", long, false},
		"refused":                {"GET", "gzip;q=0", "", long, false},
	} {
		r := httptest.NewRequest(c.method, "/api/v1/rooms", http.NoBody)
		r.Header.Set("Accept-Encoding", c.accept)
		r.Header.Set("Sec-Fetch-Site", c.site)
		rec := httptest.NewRecorder()
		x := &exchange{edge: &Edge{}, w: &recorder{ResponseWriter: rec}, r: r}
		if err := x.write(c.answer); err != nil {
			t.Fatal(err)
		}
		packed := rec.Header().Get("Content-Encoding") == "gzip"
		if packed != c.packed || packed && rec.Body.Len() > len(c.answer.Body)/10 || !packed && rec.Body.String() != string(c.answer.Body) {
			t.Errorf("%s: compressed %v to %d bytes, want %v", name, packed, rec.Body.Len(), c.packed)
		}
	}
}

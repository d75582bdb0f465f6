package server

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/config"
)

// HTTP requests for a page are redirected to HTTPS however they write its address.
// Other targets are not redirected.
func TestOnlyPagesAreRedirected(t *testing.T) {
	t.Parallel()
	s := &Server{config: config.Serve{Data: config.Data{PublicURL: "https://meet.example.com:8443"}}}
	for _, c := range []struct {
		line, host string
		status     int
		to         string
	}{
		{"GET /abc-defg-hjk?x=1", "meet.example.com", http.StatusPermanentRedirect, "https://meet.example.com:8443/abc-defg-hjk?x=1"},
		{"GET http://meet.example.com/abc", "evil.example", http.StatusPermanentRedirect, "https://meet.example.com:8443/abc"},
		{"GET http://meet.example.com", "meet.example.com", http.StatusPermanentRedirect, "https://meet.example.com:8443/"},
		{"GET http://meet.example.com?x=1", "meet.example.com", http.StatusPermanentRedirect, "https://meet.example.com:8443/?x=1"},
		{"GET http://evil.example/abc", "meet.example.com", http.StatusMisdirectedRequest, ""},
		{"GET mailto:x", "meet.example.com", http.StatusBadRequest, ""},
		{"GET mailto:.evil.example/", "meet.example.com", http.StatusBadRequest, ""},
		{"HEAD mailto:@evil.example/", "meet.example.com", http.StatusBadRequest, ""},
		{"GET mailto:x", "evil.example", http.StatusMisdirectedRequest, ""},
		{"GET *", "meet.example.com", http.StatusBadRequest, ""},
		{"OPTIONS *", "meet.example.com", http.StatusForbidden, ""},
		{"CONNECT evil.example:443", "meet.example.com", http.StatusForbidden, ""},
	} {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(c.line + " HTTP/1.1\r\nHost: " + c.host + "\r\n\r\n")))
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		w := httptest.NewRecorder()
		s.leadToHTTPS(w, r)
		if to := w.Header().Get("Location"); w.Code != c.status || to != c.to {
			t.Errorf("%s for %s is answered with %d and leads to %q, want %d and %q", c.line, c.host, w.Code, to, c.status, c.to)
		}
	}
}

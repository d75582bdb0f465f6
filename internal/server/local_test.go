package server

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestMetricsAreOnlyForThisMachine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, peer, host, header string
		status                   int
	}{
		{"this machine", "127.0.0.1:1", "127.0.0.1:8080", "", 200},
		{"by name", "127.0.0.1:1", "localhost:8080", "", 200},
		{"without a port", "127.0.0.53:1", "localhost", "", 200},
		{"by IPv6", "[::1]:1", "[::1]:8080", "", 200},
		{"by IPv6 without a port", "[::1]:1", "[::1]", "", 200},
		{"IPv4 in IPv6", "[::ffff:127.0.0.1]:1", "127.0.0.1:8080", "", 200},
		{"another machine", "198.51.100.7:1", "127.0.0.1:8080", "", 404},
		{"the same network", "10.0.0.7:1", "10.0.0.1:8080", "", 404},
		{"a proxy that keeps the name", "127.0.0.1:1", "meet.example.com", "", 404},
		{"a name that leads to this machine", "127.0.0.1:1", "localhost.evil.example:8080", "", 404},
		{"no name", "127.0.0.1:1", "", "", 404},
		{"half an address", "127.0.0.1:1", "[", "", 404},
		{"X-Forwarded-For", "127.0.0.1:1", "127.0.0.1:8080", "X-Forwarded-For", 404},
		{"X-Forwarded-Host", "127.0.0.1:1", "127.0.0.1:8080", "X-Forwarded-Host", 404},
		{"X-Forwarded-Port", "127.0.0.1:1", "127.0.0.1:8080", "X-Forwarded-Port", 404},
		{"X-Forwarded-Proto", "127.0.0.1:1", "127.0.0.1:8080", "X-Forwarded-Proto", 404},
		{"X-Forwarded-Server", "127.0.0.1:1", "127.0.0.1:8080", "X-Forwarded-Server", 404},
		{"X-Real-IP", "127.0.0.1:1", "127.0.0.1:8080", "X-Real-IP", 404},
		{"Forwarded", "127.0.0.1:1", "127.0.0.1:8080", "Forwarded", 404},
		{"Via", "127.0.0.1:1", "127.0.0.1:8080", "Via", 404},
		{"no peer", "", "127.0.0.1:8080", "", 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody)
			r.RemoteAddr, r.Host = test.peer, test.host
			if test.header != "" {
				r.Header.Set(test.header, "127.0.0.1")
			}
			answer := httptest.NewRecorder()
			s := &Server{metrics: newMetrics(), log: slog.New(slog.DiscardHandler)}
			onlyLocal(s.metricsHandler()).ServeHTTP(answer, r)
			if answer.Code != test.status {
				t.Errorf("%d, want %d", answer.Code, test.status)
			}
			if shows := strings.Contains(answer.Body.String(), "conclave_gate_connections"); shows != (test.status == http.StatusOK) {
				t.Errorf("the answer is %.100s", answer.Body.String())
			}
		})
	}
}

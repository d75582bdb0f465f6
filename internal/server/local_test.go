package server

import (
	"io"
	"log/slog"
	"net"
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
		{"an end of the connection", "127.0.0.1:1", "127.0.0.1:8080", "Connection: close", 404},
		{"an upgrade", "127.0.0.1:1", "127.0.0.1:8080", "Connection: keep-alive, Upgrade", 404},
		{"a connection that is kept", "127.0.0.1:1", "127.0.0.1:8080", "Connection: keep-alive", 200},
		{"no peer", "", "127.0.0.1:8080", "", 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", http.NoBody)
			r.RemoteAddr, r.Host = test.peer, test.host
			if name, value, _ := strings.Cut(test.header, ": "); name != "" {
				r.Header.Set(name, value)
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

// An nginx whose configuration only says where to pass requests on.
func TestMetricsAreNotForABareProxy(t *testing.T) {
	t.Parallel()
	s := &Server{metrics: newMetrics(), log: slog.New(slog.DiscardHandler)}
	service := httptest.NewServer(onlyLocal(s.metricsHandler()))
	defer service.Close()
	for said, status := range map[string]string{
		"HTTP/1.0\r\nHost: 127.0.0.1:8080\r\nConnection: close": "404", // up to 1.29.6
		"HTTP/1.0\r\nHost: 127.0.0.1:8080":                      "404",
		"HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: close": "404",
		"HTTP/1.1\r\nHost: 127.0.0.1:8080":                      "200", // a program on this machine
	} {
		conn, err := net.Dial("tcp", service.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte("GET /metrics " + said + "\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		answer := make([]byte, len("HTTP/1.x 404"))
		if _, err := io.ReadFull(conn, answer); err != nil || string(answer[len("HTTP/1.x "):]) != status {
			t.Errorf("%q gets %s, %v; want %s", said, answer, err, status)
		}
		_ = conn.Close()
	}
}

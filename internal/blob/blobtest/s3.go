// Package blobtest starts versitygw, an S3 server, for tests with a real
// bucket. A proxy in front of it can fail like servers and networks do.
package blobtest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/tooltest"
)

// The credentials of every server.
const (
	accessKey = "conclave"
	secretKey = "not a secret"
)

// Run sets the servers' credentials in this process's environment, where the
// AWS library looks for them, and runs the tests. A TestMain calls it.
func Run(m *testing.M) int {
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

// Server is an S3 server whose buckets are directories.
type Server struct {
	dir     string // of the buckets
	address string // of the proxy

	mu     sync.Mutex
	answer http.HandlerFunc // nil: versitygw's answers
	socket string
}

// Start runs a server until the end of the test.
func Start(t testing.TB) *Server {
	t.Helper()
	// The name of a Unix socket may have about 100 bytes, and the name of a
	// test's own directory can be longer.
	at, err := os.MkdirTemp("", "s3") //nolint:usetesting // for that reason
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(at) })
	s := &Server{dir: filepath.Join(at, "buckets"), socket: filepath.Join(at, "s")}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s.run(t)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "versitygw"
			r.Out.Host = r.In.Host // the host is part of the signature
		},
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", s.socket)
		}},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		answer := s.answer
		s.mu.Unlock()
		if answer != nil {
			answer(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	s.address = web.URL
	return s
}

// run starts the program and waits until it answers.
func (s *Server) run(t testing.TB) {
	t.Helper()
	program := tooltest.Path(t, "versitygw")
	cmd := exec.CommandContext(t.Context(), program, "--port", s.socket, "--quiet", "posix", s.dir)
	cmd.Env = []string{"ROOT_ACCESS_KEY=" + accessKey, "ROOT_SECRET_KEY=" + secretKey}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start versitygw: %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	deadline := time.Now().Add(30 * time.Second) // of another process
	for time.Now().Before(deadline) {
		if c, err := new(net.Dialer).DialContext(t.Context(), "unix", s.socket); err == nil {
			_ = c.Close()
			return
		}
		time.Sleep(5 * time.Millisecond) // it says nothing when it listens
	}
	t.Fatal("versitygw does not listen")
}

// Bucket makes a bucket and returns its address.
func (s *Server) Bucket(t testing.TB, name string) string {
	t.Helper()
	if err := os.Mkdir(filepath.Join(s.dir, name), 0o700); err != nil {
		t.Fatal(err)
	}
	return s.Address(name)
}

// Address is the address of a bucket, which need not exist.
func (s *Server) Address(bucket string) string {
	return "s3://" + bucket + "?" + url.Values{"region": {"us-east-1"}, "endpoint": {s.address}}.Encode()
}

// Answer replaces the server's answers; nil: versitygw again.
func (s *Server) Answer(h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = h
}

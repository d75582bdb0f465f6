package server_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/cert/certtest"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/server"
)

// The service gets its certificate by itself, serves HTTP/2 with it, and leads
// people there from HTTP.
func TestTheServiceGetsACertificateByItself(t *testing.T) {
	t.Parallel()
	const name = "meet.example.com"
	var authority *certtest.Pebble
	var plain string
	r := startAs(t, server.Options{}, func(c *config.Serve) {
		_, port, err := net.SplitHostPort(c.Listen)
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.Atoi(port)
		if err != nil {
			t.Fatal(err)
		}
		plain = freeAddress(t)
		authority = certtest.Start(t, certtest.Options{TLSPort: number})
		c.ACMEDomains, c.ACMEDirectory, c.ACMECAFile, c.HTTPListen = []string{name}, authority.Directory, authority.CAFile, plain
		c.PublicURL = "https://" + net.JoinHostPort(name, port)
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
	})
	address := strings.TrimPrefix(r.url, "https://"+name)
	client := &http.Client{
		Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: authority.Issued}, ForceAttemptHTTP2: true,
			DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
				if _, port, err := net.SplitHostPort(to); err == nil && port == "80" {
					return new(net.Dialer).DialContext(ctx, network, plain)
				}
				return new(net.Dialer).DialContext(ctx, network, "127.0.0.1"+address)
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()

	waitUntil(t, "the certificate is issued", func() bool { return strings.Contains(r.book.String(), "the certificate was issued") })
	r.client = client
	r.token(t, r.room(t, nil), "Ada", "participant") // secrets that the log must not have
	res, err := client.Get(r.url + "/api/v1/rooms")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.ProtoMajor != 2 || res.StatusCode != http.StatusUnauthorized || res.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("%s %s, Strict-Transport-Security %q", res.Proto, res.Status, res.Header.Get("Strict-Transport-Security"))
	}

	for _, tt := range []struct {
		method, url string
		status      int
		to          string
	}{
		{"GET", "http://" + name + "/abc-defg-hjk?x=1", http.StatusPermanentRedirect, r.url + "/abc-defg-hjk?x=1"},
		{"HEAD", "http://MEET.example.com/", http.StatusPermanentRedirect, r.url + "/"},
		{"GET", "http://" + name + "//evil.example/", http.StatusPermanentRedirect, r.url + "//evil.example/"},
		{"GET", "http://evil.example/", http.StatusMisdirectedRequest, ""},
		{"POST", "http://" + name + "/api/v1/rooms", http.StatusForbidden, ""},
		{"GET", "http://" + name + "/.well-known/acme-challenge/unknown", http.StatusNotFound, ""},
	} {
		req, err := http.NewRequestWithContext(limited(t), tt.method, tt.url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		wantRequestID(t, tt.method+" "+tt.url, res, tt.status)
		if to := res.Header.Get("Location"); to != tt.to {
			t.Errorf("%s %s leads to %q, want %q", tt.method, tt.url, to, tt.to)
		}
	}
}

package server_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/cert/certtest"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
	"github.com/conclave-rooms/conclave/internal/server"
)

// certify makes a certificate for this machine, in files, and who trusts it.
func certify(t *testing.T) (cert, key string, trust *x509.CertPool) {
	t.Helper()
	made := certtest.Issue(t, certtest.ThisMachine(), nil)
	cert, key = certtest.Files(t, made)
	return cert, key, certtest.Trust(made)
}

// startSecure runs the service with TLS.
func startSecure(t *testing.T, change func(*config.Serve)) (*running, *x509.CertPool) {
	t.Helper()
	cert, key, trust := certify(t)
	r := startAs(t, server.Options{}, func(c *config.Serve) {
		c.PublicURL = strings.Replace(c.PublicURL, "http:", "https:", 1)
		c.TLSCert, c.TLSKey = cert, key
		change(c)
	})
	r.client = trusting(trust)
	return r, trust
}

// trusting is a client for a service with such a certificate.
func trusting(trust *x509.CertPool) *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}}}
}

// meetThroughRelays lets two people meet in a room who have no other way than this use of
// TURN.
func meetThroughRelays(t *testing.T, r *running, room api.Room, use mediaclient.TURN, trust *x509.CertPool) {
	t.Helper()
	people := map[string]*mediaclient.Participant{}
	for _, name := range []string{"ada", "ben"} {
		token := r.token(t, room, name, "host")
		people[name] = mediatest.Join(t, mediaclient.Options{
			URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase, TURN: use, Trust: trust,
		})
		if _, err := people[name].Publish(limited(t), media.Microphone); err != nil {
			t.Fatal(err)
		}
		if _, err := people[name].Publish(limited(t), media.Camera); err != nil {
			t.Fatal(err)
		}
	}
	for name, other := range map[string]string{"ada": "ben", "ben": "ada"} {
		for _, source := range []media.Source{media.Microphone, media.Camera} {
			if err := people[other].WaitFrames(limited(t), people[name].Identity(), source, 20); err != nil {
				t.Errorf("%s does not receive the %s of %s: %v", other, source, name, err)
			}
		}
		if used, err := people[name].Transport(); err != nil || used != "relay" {
			t.Errorf("%s's media takes %q, %v; want relay", name, used, err)
		}
	}
}

func TestMediaPassesThePortOfHTTPS(t *testing.T) {
	t.Parallel()
	r, trust := startSecure(t, func(*config.Serve) {})
	meetThroughRelays(t, r, r.room(t, nil), mediaclient.OnlyTURNOverTLS, trust)
	var metrics strings.Builder
	get(t, r.client, r.url+"/metrics", &metrics)
	if !strings.Contains(metrics.String(), "conclave_turn_allocations 4") {
		t.Error("the metrics do not show the two allocations of each of two people")
	}
}

func TestMediaPassesAUDPPortOfItsOwn(t *testing.T) {
	t.Parallel()
	free, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.LocalAddr().(*net.UDPAddr).Port
	_ = free.Close()
	r := startAs(t, server.Options{}, func(c *config.Serve) { c.TURNUDPPort = port })
	meetThroughRelays(t, r, r.room(t, nil), mediaclient.OnlyTURNOverUDP, nil)
}

// get reads a page.
func get(t *testing.T, client *http.Client, address string, into *strings.Builder) *http.Response {
	t.Helper()
	res, err := client.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	buf := make([]byte, 4096)
	for err == nil {
		var n int
		n, err = res.Body.Read(buf)
		into.Write(buf[:n])
	}
	return res
}

func TestHTTPOnThePortThatTURNShares(t *testing.T) {
	t.Parallel()
	r, trust := startSecure(t, func(*config.Serve) {})
	r.token(t, r.room(t, nil), "ada", "host") // an ordinary request
	address := strings.TrimPrefix(r.url, "https://")
	for name, offers := range map[string][]string{"nothing": nil, "HTTP/1.1": {"http/1.1"}} {
		conn, err := tls.Dial("tcp", address, &tls.Config{RootCAs: trust, NextProtos: offers})
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if offers != nil {
			want = "http/1.1"
		}
		if got := conn.ConnectionState().NegotiatedProtocol; got != want {
			t.Errorf("a client that offers %s gets %q, want %q", name, got, want)
		}
		_, _ = fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", address)
		line := make([]byte, 15)
		if _, err := conn.Read(line); err != nil || string(line) != "HTTP/1.1 200 OK" {
			t.Errorf("a client that offers %s is answered %q, %v", name, line, err)
		}
		_ = conn.Close()
	}
	browser := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}, ForceAttemptHTTP2: true}} // offers both versions
	defer browser.CloseIdleConnections()
	for range 2 {
		if res := get(t, browser, r.url+"/healthz", &strings.Builder{}); res.StatusCode != http.StatusOK || res.TLS == nil {
			t.Errorf("a browser is answered %s", res.Status)
		}
	}
	plain := &strings.Builder{}
	if res := get(t, http.DefaultClient, "http://"+address+"/healthz", plain); res.StatusCode != http.StatusBadRequest || !strings.Contains(plain.String(), "HTTPS") {
		t.Errorf("without TLS: %d %q, want the sentence that this is HTTPS", res.StatusCode, plain)
	}
}

// A proxy that only takes off TLS adds no header, and a stranger can choose the Host.
// So their request looks like one from this machine.
func TestMetricsAreHiddenBehindAProxyThatOnlyTakesOffTLS(t *testing.T) {
	t.Parallel()
	for turnTLS, want := range map[string]bool{"on": false, "auto": true} {
		r := startAs(t, server.Options{Media: fake.New(time.Now)}, func(c *config.Serve) {
			c.PublicURL = strings.Replace(c.PublicURL, "http:", "https:", 1)
			c.TURNTLS = turnTLS
		})
		r.url = strings.Replace(r.url, "https:", "http:", 1) // as the proxy reaches the service
		r.token(t, r.room(t, nil), "Ada", "participant")     // secrets that the log must not have
		if shown := len(metricsOf(t, r.service.Handler())) > 0; shown != want {
			t.Errorf("with --turn-tls %s, metrics are shown: %v", turnTLS, shown)
		}
	}
}

package main_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/cert/certtest"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/doctor"
)

// A service that works passes every check, and two people hear each other on every way.
// When it is killed, the check of its address says so, and what needs it is not tried.
func TestDoctor(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		_, key := newKey(t, where)
		tcp, turn := freePort(t, "tcp"), freePort(t, "udp")
		ways := []string{"--media-tcp-port", tcp, "--turn-udp-port", turn}
		p := start(t, "serve", where, ways...)
		examine := func() (status int, found map[string]doctor.Finding) {
			t.Helper()
			args := append([]string{"doctor", "--json", "--key", key, "--public-url", p.url, "--listen", strings.TrimPrefix(p.url, "http://"), "--media-udp-port", "0", "--media-node-ip", "127.0.0.1"}, append(ways, at(where)...)...)
			r := command(t, args...)
			var all []doctor.Finding
			if err := json.Unmarshal([]byte(r.stdout), &all); err != nil {
				t.Fatalf("status %d: %v\n%s%s", r.status, err, r.stdout, r.stderr)
			}
			found = map[string]doctor.Finding{}
			for _, f := range all {
				found[f.Check] = f
			}
			return r.status, found
		}
		soon(t, patience, "the service is ready", func() bool {
			status, _ := p.call(http.MethodGet, "/readyz", "", "")
			return status == http.StatusOK
		})
		status, found := examine()
		for name, f := range found {
			if f.Verdict == doctor.Failed {
				t.Errorf("%s: %s", name, f.Found)
			}
		}
		for _, name := range []string{"database", "service here", "public address", "websocket", "media ports", "call over UDP", "call over TCP", "call through TURN over UDP"} {
			if f := found[name]; f.Verdict != doctor.OK && !strings.Contains(f.Found, "disk") {
				t.Errorf("%s is %s: %s", name, f.Verdict, f.Found)
			}
		}
		for _, used := range []string{"TCP port " + tcp, "UDP port " + turn} {
			if f := found["media ports"]; !strings.Contains(f.Found, used+" is used, as the running service does") {
				t.Errorf("%s: %s", used, f.Found)
			}
		}
		if status != 0 {
			t.Errorf("nothing failed, and the status is %d", status)
		}
		p.kill()
		status, found = examine()
		if status != 1 || found["public address"].Verdict != doctor.Failed || found["websocket"].Verdict != doctor.Skipped {
			t.Errorf("status %d, %+v", status, found)
		}
	})
}

// Where TLS ends in the service, two people hear each other through the port of HTTPS, and
// the certificate is found to be good.
func TestDoctorWithTLS(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	_, key := newKey(t, where)
	cert, private := certificateFiles(t)
	listen := "127.0.0.1:" + freePort(t, "tcp")
	settings := []string{"--listen", listen, "--public-url", "https://" + listen, "--tls-cert", cert, "--tls-key", private, "--media-tcp-port", freePort(t, "tcp")}
	p := start(t, "serve", where, settings...)
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	trust := x509.NewCertPool()
	trust.AppendCertsFromPEM(text)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}, DisableKeepAlives: true}}
	eventually(t, p, "the service is ready", func() bool {
		res, err := client.Get("https://" + listen + "/readyz")
		if err == nil {
			_ = res.Body.Close()
		}
		return err == nil && res.StatusCode == http.StatusOK
	})
	var found []doctor.Finding
	args := append([]string{"doctor", "--json", "--key", key, "--media-udp-port", "0", "--media-node-ip", "127.0.0.1"}, append(settings, at(where)...)...)
	r := commandIn(t, []string{"SSL_CERT_FILE=" + cert}, args...)
	if err := json.Unmarshal([]byte(r.stdout), &found); err != nil {
		t.Fatalf("status %d: %v\n%s%s", r.status, err, r.stdout, r.stderr)
	}
	good := map[string]bool{}
	for _, f := range found {
		if good[f.Check] = f.Verdict == doctor.OK; f.Verdict == doctor.Failed {
			t.Errorf("%s: %s", f.Check, f.Found)
		}
	}
	for _, check := range []string{"certificate", "public address", "websocket", "call over UDP", "call through TURN over TLS"} {
		if !good[check] {
			t.Errorf("%s is not good: %s", check, r.stdout)
		}
	}
	// Without trust in the certificate the doctor names it, and tries nothing that needs it.
	if r := command(t, args...); r.status != 1 || !strings.Contains(r.stdout, "unknown authority") {
		t.Errorf("status %d: %s", r.status, r.stdout)
	}
}

// certificateFiles are a certificate for 127.0.0.1, which vouches for itself, and its key.
func certificateFiles(t *testing.T) (cert, key string) {
	t.Helper()
	template := certtest.ThisMachine()
	template.NotAfter = time.Now().AddDate(1, 0, 0) // the doctor warns of one that ends soon
	return certtest.Files(t, certtest.Issue(t, template, nil))
}

// freePort finds a port on which nobody listens.
func freePort(t *testing.T, network string) string {
	t.Helper()
	var address net.Addr
	if network == "udp" {
		socket, err := (&net.ListenConfig{}).ListenPacket(t.Context(), network, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address = socket.LocalAddr()
		_ = socket.Close()
	} else {
		listener, err := (&net.ListenConfig{}).Listen(t.Context(), network, "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address = listener.Addr()
		_ = listener.Close()
	}
	_, port, err := net.SplitHostPort(address.String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

package main_test

import (
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

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

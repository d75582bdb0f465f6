package doctor

import (
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/conclave-rooms/conclave/internal/blob"
	"github.com/conclave-rooms/conclave/internal/db"
)

// step runs one step of the command by its name.
func step(t *testing.T, o *Options, name string) Finding {
	t.Helper()
	for _, c := range checks() {
		if c.name == name {
			return o.examine(t.Context(), c, nil)
		}
	}
	t.Fatalf("there is no step %s", name)
	return Finding{}
}

// advises checks what a step found, and what it says to do.
func advises(t *testing.T, f Finding, verdict Verdict, found, advice string) {
	t.Helper()
	want(t, f, verdict, found)
	if !strings.Contains(f.Advice, advice) {
		t.Errorf("%s: %s: the advice is %q, want ...%s...", f.Verdict, f.Found, f.Advice, advice)
	}
}

// For everything that does not work, one step of the command says what to do.
func TestEveryFailureComesWithAdvice(t *testing.T) {
	t.Parallel()
	refusal := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error": {"message": "This key was revoked."}}`))
	})
	refuses, refusesSafely := httptest.NewServer(refusal), httptest.NewTLSServer(refusal)
	t.Cleanup(refuses.Close) // after the subtests, which are parallel
	t.Cleanup(refusesSafely.Close)
	trust := x509.NewCertPool()
	trust.AddCert(refusesSafely.Certificate())
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	calls := func(o *Options) {
		o.Config.PublicURL, o.Key, o.Config.TURNUDPPort = refuses.URL, "svc_live_revoked", 3478
	}
	safely := func(o *Options) {
		o.Config.PublicURL, o.Key, o.Trust, o.Config.TLSCert = refusesSafely.URL, "svc_live_revoked", trust, "cert.pem"
	}
	behindProxy := func(o *Options) {
		o.Config.PublicURL, o.Key, o.Trust, o.Config.TURNTLS = refusesSafely.URL, "svc_live_revoked", trust, "on"
	}
	elsewhere := func(o *Options) {
		o.Config.PublicURL, o.Key, o.Config.MediaURL = refuses.URL, "svc_live_revoked", "ws://127.0.0.1:1"
		o.Config.MediaAPIKey, o.Config.MediaAPISecret = "key", "secret"
	}
	for _, c := range []struct {
		step          string
		harm          func(o *Options)
		verdict       Verdict
		found, advice string
	}{
		{"settings", func(o *Options) { o.Config.PublicURL = "meet" }, Failed, "--public-url", "Correct this setting"},
		{"data directory", func(o *Options) { o.Config.Data.Data = file }, Failed, "Nothing can be written", "own the directory, and check that the disk is not full or mounted read-only"},
		{"database", func(o *Options) { o.Config.DatabaseURL = "postgres://a:b@127.0.0.1:1/none" }, Failed, "does not answer", "Is PostgreSQL running"},
		{"database", func(o *Options) { o.Config.Data.Data = damaged(t) }, Failed, "cannot be read", "restore a backup"},
		{"redis", func(o *Options) { o.Config.RedisURL = "redis://127.0.0.1:1" }, Failed, "does not answer", "Without it nobody can join"},
		{"redis", func(o *Options) { o.Config.RedisURL = "http://127.0.0.1" }, Failed, "--redis-url must begin", "Correct --redis-url"},
		{"recordings", func(o *Options) { o.Config.BlobURL = "s3://none?region=us-east-1&endpoint=http://127.0.0.1:1" }, Failed, "Nothing can be written", "Check the bucket's name, region and endpoint"},
		{"mail", func(o *Options) { o.Config.SMTPURL, o.Config.MailFrom = "smtp://127.0.0.1:1", "meet@example.com" }, Failed, "does not take mail", "whether this network lets mail out"},
		{"mail", func(o *Options) { o.Config.SMTPURL = "http://127.0.0.1:1" }, Failed, "", "Correct --smtp-url and --mail-from"},
		{"identity provider", func(o *Options) { o.Config.OIDCIssuer = "http://127.0.0.1:1" }, Failed, "does not answer", "exactly the issuer that the provider names"},
		{"name", func(o *Options) { o.Config.PublicURL = "https://meet.example.invalid" }, Failed, "leads nowhere", "Add an A or AAAA record"},
		{"service here", func(o *Options) { o.Config.Listen = "192.0.2.7:80" }, Failed, "could not listen", "does not have the address"},
		{"public address", func(o *Options) { o.Config.PublicURL = "http://127.0.0.1:1" }, Failed, "Nobody answers", "a firewall, a NAT or a proxy"},
		{"websocket", func(o *Options) { o.Config.PublicURL = "http://127.0.0.1:1" }, Failed, "cannot be opened", "headers Connection and Upgrade"},
		{"call over UDP", calls, Failed, "This key was revoked.", "Open UDP port 7882 in every firewall, and let --media-node-ip be the address"},
		{"call over TCP", calls, Warning, "This key was revoked.", "Open TCP port 7881 in every firewall, for people whose networks block UDP"},
		{"call through TURN over UDP", calls, Warning, "This key was revoked.", "Open UDP port 3478 in every firewall, for people whose networks block UDP port 7882"},
		{"call through TURN over TLS", safely, Warning, "This key was revoked.", "TLS must end in the service"},
		{"call through TURN over TLS", behindProxy, Warning, "This key was revoked.", "must pass on whatever is inside"},
		{"call over UDP", elsewhere, Failed, "This key was revoked.", "Open the UDP port of the LiveKit server (rtc.udp_port) in every firewall, and let its rtc.node_ip be"},
		{"call over TCP", elsewhere, Warning, "This key was revoked.", "Open the TCP port of the LiveKit server (rtc.tcp_port)"},
		{"media server", elsewhere, Failed, "LiveKit does not take requests", "does --media-url lead to it"},
	} {
		t.Run(c.step, func(t *testing.T) {
			t.Parallel()
			o := usual(db.Config{Dir: t.TempDir()})
			c.harm(o)
			advises(t, step(t, o, c.step), c.verdict, c.found, c.advice)
		})
	}
}

// damaged makes a data directory whose database file is not a database.
func damaged(t *testing.T) string {
	t.Helper()
	where := t.TempDir()
	if err := os.WriteFile(filepath.Join(where, "conclave.db"), []byte(strings.Repeat("not a database", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	return where
}

// A call that took another way than UDP works, and says which port to open.
func TestACallWithoutUDPNamesThePortToOpen(t *testing.T) {
	t.Parallel()
	c := usual(db.Config{Dir: t.TempDir()}).Config
	want(t, overUDP(&c, "udp", nil), OK, "heard each other")
	advises(t, overUDP(&c, "tcp", nil), Warning, "heard each other, but over tcp", "Open UDP port 7882 in every firewall: over TCP, sound and pictures stutter")
	advises(t, overUDP(&c, "", errors.New("no sound")), Failed, "no sound", "Open UDP port 7882 in every firewall, and")
}

// Calls are tried with a key, and by ways that the service has.
func TestCallsAreTriedOnlyWithAKeyAndByOpenWays(t *testing.T) {
	t.Parallel()
	o := usual(db.Config{Dir: t.TempDir()})
	for _, name := range []string{"call over UDP", "call over TCP", "call through TURN over UDP", "call through TURN over TLS"} {
		want(t, step(t, o, name), Skipped, "--key")
	}
	o.Key, o.Config.MediaTCPPort = "svc_live_key", 0
	want(t, step(t, o, "call over TCP"), Skipped, "--media-tcp-port")
	want(t, step(t, o, "call through TURN over UDP"), Skipped, "--turn-udp-port")
	want(t, step(t, o, "call through TURN over TLS"), Skipped, "--turn-tls")
}

// A disk with little free space gets a warning, and a full one a failure.
func TestSpace(t *testing.T) {
	t.Parallel()
	left := func(free uint64) blob.Space { return blob.Space{Free: free, All: 10 << 30} } // 512 MB are kept free
	want(t, space("/data", left(littleSpace)), OK, "has 2 GB left")
	advises(t, space("/data", left(littleSpace-1)), Warning, "has 2047 MB left", "Recordings may fill this soon, up to the last 512 MB")
	advises(t, space("/data", left(512<<20)), Warning, "has 512 MB left", "Recordings may fill this soon")
	advises(t, space("/data", left(512<<20-1)), Warning, "has 511 MB left", "no parts of recordings are taken")
	advises(t, space("/data", left(noSpace)), Warning, "has 100 MB left", "no parts of recordings are taken")
	advises(t, space("/data", left(noSpace-1)), Failed, "has 99 MB left", "Make room: without it the database takes no changes")

	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("making a small disk needs root and a system that allows it: %v", err)
	}
	defer func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }()
	o := usual(db.Config{Dir: dir})
	advises(t, step(t, o, "data directory"), Failed, "MB left", "Make room")
	filler, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = filler.Close() }()
	if _, err := filler.Write(make([]byte, 2<<20)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filling the disk ends with: %v", err)
	}
	advises(t, step(t, o, "data directory"), Failed, "no space left on device", "check that the disk is not full")
}

// The guide has a row for every step.
func TestTheGuideNamesEveryStep(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/how-to/find-what-fails.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(guide), "## What each step says")
	for _, c := range checks() {
		if !strings.Contains(rows, "\n| `"+c.name+"` | ") {
			t.Errorf("the table has no row for %s", c.name)
		}
	}
}

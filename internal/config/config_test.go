package config_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
)

func good() config.Serve {
	return config.Serve{
		Data: config.Data{PublicURL: "https://meet.example.com/"}, Listener: config.Listener{Listen: ":8080"}, StopTimeout: time.Second, MediaUDPPort: 7882, MediaTCPPort: 7881,
	}
}

func acmeDomains() []string { return []string{"meet.example.com"} }

func TestAValidConfigurationIsNormalised(t *testing.T) {
	t.Parallel()
	c := good()
	if err := c.Check(); err != nil || c.PublicURL != "https://meet.example.com" {
		t.Errorf("Check: %v, public URL %q", err, c.PublicURL)
	}
}

// Addresses are made from the public one, and browsers compare it with theirs, which have
// no capitals.
func TestThePublicURLIsSpelledAsBrowsersDo(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"HTTPS://Meet.Example.com": "https://meet.example.com", "http://LOCALHOST:8080/": "http://localhost:8080",
		"https://meet.example.com?": "https://meet.example.com", "https://meet.example.com#": "https://meet.example.com", "http://[2001:DB8::7]:8080": "http://[2001:db8::7]:8080",
		"https://meet.example.com:443": "https://meet.example.com", "http://meet.example.com:80": "http://meet.example.com", "https://meet.example.com:80": "https://meet.example.com:80",
		"https://meet.example.com:": "https://meet.example.com", "https://M\u00fcnchen.example": "https://xn--mnchen-3ya.example", "http://my_host:8080": "http://my_host:8080", "http://[0:0::1]:80": "http://[::1]",
	} {
		c := config.Data{PublicURL: given}
		if err := c.Check(); err != nil || c.PublicURL != want {
			t.Errorf("%s: %q, %v; want %q", given, c.PublicURL, err, want)
		}
	}
	for _, given := range []string{"https://meet.example.com#room", "https://ada:s3cret@meet.example.com", "https://meet.example.com:99999", "https://:8443", "https://meet.example.com?a=b", "/", "https://ada:s3cret@meet.example.com:port", "http://[fe80::1%25eth0]:8080"} {
		c := config.Data{PublicURL: given}
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), "--public-url") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", given, err)
		}
	}
}

func TestInvalidSettingsAreRefusedByName(t *testing.T) {
	t.Parallel()
	for flag, spoil := range map[string]func(*config.Serve){
		"--public-url":           func(c *config.Serve) { c.PublicURL = "https://example.com/meet" },
		"--database-url":         func(c *config.Serve) { c.DatabaseURL = "mysql://x" },
		"--listen":               func(c *config.Serve) { c.Listen = "8080" },
		"--listen ":              func(c *config.Serve) { c.Listen = ":" },
		"--metrics-listen ":      func(c *config.Serve) { c.MetricsListen = "127.0.0.1:" },
		"--trace-share":          func(c *config.Serve) { c.TraceShare = math.NaN() },
		"--metrics-listen":       func(c *config.Serve) { c.MetricsListen = "9090" },
		"--tls-cert":             func(c *config.Serve) { c.TLSCert = "cert.pem" },
		"--tls-key":              func(c *config.Serve) { c.TLSKey = "key.pem" },
		"--acme-domains":         func(c *config.Serve) { c.ACMEDomains = []string{"localhost"} },
		"--acme-domains ":        func(c *config.Serve) { c.ACMEDomains, c.TLSCert, c.TLSKey = acmeDomains(), "cert.pem", "key.pem" },
		"--public-url ":          func(c *config.Serve) { c.ACMEDomains = []string{"other.example.com"} },
		"--acme-email":           func(c *config.Serve) { c.ACMEDomains, c.ACMEEmail = acmeDomains(), "nobody" },
		"--acme-directory":       func(c *config.Serve) { c.ACMEDomains, c.ACMEDirectory = acmeDomains(), "http://ca.example" },
		"--http-listen":          func(c *config.Serve) { c.HTTPListen = ":80" },
		"--http-listen ":         func(c *config.Serve) { c.ACMEDomains, c.HTTPListen = acmeDomains(), "80" },
		"--database-connections": func(c *config.Serve) { c.DatabaseConnections = 4 },
		"--stop-timeout":         func(c *config.Serve) { c.StopTimeout = 0 },
		"--trusted-proxy":        func(c *config.Serve) { c.TrustedProxy = []string{"10.0.0.1"} },
		"--trusted-proxy ":       func(c *config.Serve) { c.TrustedProxy = []string{"::ffff:10.0.0.0/104"} },
		"--proxy-protocol":       func(c *config.Serve) { c.ProxyProtocol = true },
		"--frame-ancestor":       func(c *config.Serve) { c.FrameAncestor = []string{"https://a.example; script-src *"} },
		"--media-udp-port":       func(c *config.Serve) { c.MediaUDPPort = 65536 },
		"--media-tcp-port":       func(c *config.Serve) { c.MediaTCPPort = -1 },
		"--media-node-ip":        func(c *config.Serve) { c.MediaNodeIP = "example.com" },
		"--media-url":            func(c *config.Serve) { c.MediaURL = "https://livekit.example.com" },
		"--media-api-key":        func(c *config.Serve) { c.MediaURL = "wss://livekit.example.com" },
		"--redis-url":            func(c *config.Serve) { c.RedisURL = "localhost:6379" },
		"--blob-url":             func(c *config.Serve) { c.BlobURL = "https://s3.example.com/bucket" },
		"--blob-url ":            func(c *config.Serve) { c.BlobURL = "s3://bucket/folder" },
		"--blob-url  ":           func(c *config.Serve) { c.BlobURL = "s3://?region=eu-central-1" },
		"--blob-url   ":          func(c *config.Serve) { c.BlobURL = "s3://key:secret@bucket" },
	} {
		c := good()
		spoil(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(flag)) {
			t.Errorf("%s: %v; want a sentence that names it", flag, err)
		}
	}
}

func TestTheDefaultPublicURL(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		":8080": "http://localhost:8080", "127.0.0.1:18080": "http://localhost:18080", "0.0.0.0:9000": "http://localhost:9000", "[::]:9000": "http://localhost:9000",
		"localhost:9000": "http://localhost:9000", "192.0.2.7:8080": "http://192.0.2.7:8080", "[2001:db8::7]:80": "http://[2001:db8::7]", "meet.example.com:80": "http://meet.example.com",
		"127.0.0.1:0": config.DefaultPublicURL, // the port is not known yet
	} {
		c := config.Serve{Listener: config.Listener{Listen: listen}, StopTimeout: time.Second, RateLimits: "on"}
		if err := c.Check(); err != nil || c.PublicURL != want {
			t.Errorf("--listen %s: %q, %v; want %q", listen, c.PublicURL, err, want)
		}
	}
	c := config.Serve{Listener: config.Listener{Listen: ":443"}, TLSCert: "cert.pem", TLSKey: "key.pem", StopTimeout: time.Second, RateLimits: "on"}
	if err := c.Check(); err != nil || c.PublicURL != "https://localhost" {
		t.Errorf("with TLS: %q, %v", c.PublicURL, err)
	}
}

func TestTheNameOfTheCertificateIsThePublicOne(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{":443": "https://meet.example.com", ":8443": "https://meet.example.com:8443"} {
		c := config.Serve{Listener: config.Listener{Listen: listen}, StopTimeout: time.Second, RateLimits: "on"}
		c.ACMEDomains, c.ACMEDirectory, c.HTTPListen = []string{"Meet.example.com", "www.example.com"}, "https://ca.example/dir", ":80"
		if err := c.Check(); err != nil || c.PublicURL != want || !c.EndsTLS() {
			t.Errorf("--listen %s: %q, %v; want %q", listen, c.PublicURL, err, want)
		}
		if host, _ := c.TURNAddress(); host != "meet.example.com" {
			t.Errorf("--listen %s: devices reach TURN at %q", listen, host)
		}
	}
}

// Firefox makes no connection that names a TURN server at a port which browsers block.
func TestTURNIsNotAtAPortThatBrowsersBlock(t *testing.T) {
	t.Parallel()
	for port, allowed := range map[int]bool{
		0: true, 53: true, 443: true, 3478: true, 10079: true, 10081: true, 1: false, 9: false, 123: false, 5060: false, 10080: false,
	} {
		c := good()
		c.TURNUDPPort = port
		if err := c.Check(); (err == nil) != allowed {
			t.Errorf("--turn-udp-port %d: %v", port, err)
		}
	}
}

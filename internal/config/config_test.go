package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
)

func good() config.Serve {
	return config.Serve{
		Data: config.Data{PublicURL: "https://meet.example.com/"}, Listen: ":8080", StopTimeout: time.Second, MediaUDPPort: 7882, MediaTCPPort: 7881,
	}
}

func TestAGoodConfigurationIsTakenAndTidied(t *testing.T) {
	t.Parallel()
	c := good()
	if err := c.Check(); err != nil || c.PublicURL != "https://meet.example.com" {
		t.Errorf("Check: %v, public URL %q", err, c.PublicURL)
	}
}

func TestWhatCannotWorkIsRefusedByName(t *testing.T) {
	t.Parallel()
	for flag, spoil := range map[string]func(*config.Serve){
		"--public-url":     func(c *config.Serve) { c.PublicURL = "https://example.com/meet" },
		"--database-url":   func(c *config.Serve) { c.DatabaseURL = "mysql://x" },
		"--listen":         func(c *config.Serve) { c.Listen = "8080" },
		"--metrics-listen": func(c *config.Serve) { c.MetricsListen = "9090" },
		"--tls-cert":       func(c *config.Serve) { c.TLSCert = "cert.pem" },
		"--tls-key":        func(c *config.Serve) { c.TLSKey = "key.pem" },
		"--stop-timeout":   func(c *config.Serve) { c.StopTimeout = 0 },
		"--trusted-proxy":  func(c *config.Serve) { c.TrustedProxy = []string{"10.0.0.1"} },
		"--frame-ancestor": func(c *config.Serve) { c.FrameAncestor = []string{"https://a.example; script-src *"} },
		"--media-udp-port": func(c *config.Serve) { c.MediaUDPPort = 65536 },
		"--media-tcp-port": func(c *config.Serve) { c.MediaTCPPort = -1 },
		"--media-node-ip":  func(c *config.Serve) { c.MediaNodeIP = "example.com" },
		"--media-url":      func(c *config.Serve) { c.MediaURL = "https://livekit.example.com" },
		"--media-api-key":  func(c *config.Serve) { c.MediaURL = "wss://livekit.example.com" },
		"--redis-url":      func(c *config.Serve) { c.RedisURL = "localhost:6379" },
	} {
		c := good()
		spoil(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(flag)) {
			t.Errorf("%s: %v; want a sentence that names it", flag, err)
		}
	}
}

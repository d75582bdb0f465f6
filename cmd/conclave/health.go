package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/fault"
)

type healthCmd struct {
	config.Listener

	TLSCert string   `name:"tls-cert" help:"Certificate of the service, if it has one; only whether it is set matters." placeholder:"FILE"`
	Domains []string `name:"acme-domains" help:"Names for which the service gets certificates by itself, if it does." placeholder:"NAME"`
}

// healthWithin is how long the service may take to answer.
const healthWithin = 3 * time.Second

func (c *healthCmd) Run(ctx context.Context, o *output) error {
	address, err := c.address()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	// The certificate is for the public name, and this request does not leave the
	// machine.
	secure := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12} //nolint:gosec // see above
	if len(c.Domains) > 0 {
		secure.ServerName = c.Domains[0] // the service has certificates for these names only
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: secure}}
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("the service does not answer: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, 4096))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", address, err)
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the service is not ready: %s", strings.TrimSpace(string(text)))
	}
	o.line("%s", strings.TrimSpace(string(text)))
	return nil
}

// address is that of /readyz, as reached from this machine.
func (c *healthCmd) address() (string, error) {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return "", fault.BadParameter("listen", fmt.Sprintf("--listen must be an address such as :8080, not %q.", c.Listen))
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	scheme := "http://"
	if c.TLSCert != "" || len(c.Domains) > 0 {
		scheme = "https://"
	}
	return scheme + net.JoinHostPort(host, port) + "/readyz", nil
}

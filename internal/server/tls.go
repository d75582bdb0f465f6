package server

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"sync"
	"time"
)

// secure adds TLS to a listener. HTTP/1.1 only: WebSockets need it, and a page
// has few event streams.
func secure(l net.Listener, certFile, keyFile string) (net.Listener, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile}
	if _, err := c.get(nil); err != nil {
		return nil, err
	}
	return tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get, NextProtos: []string{"http/1.1"}}), nil
}

// certificate is a certificate in files. They are read again when they change,
// so that a renewal needs no restart.
type certificate struct {
	certFile, keyFile string

	mu      sync.Mutex
	checked time.Time
	changed time.Time
	current *tls.Certificate
}

// checkEvery is how long it may take until a renewed certificate is used.
const checkEvery = time.Minute

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != nil && time.Since(c.checked) < checkEvery {
		return c.current, nil
	}
	fresh, changed, err := c.load()
	if err != nil {
		if c.current != nil {
			return c.current, nil // half-written files: the current certificate is better than none
		}
		return nil, err
	}
	c.current, c.changed, c.checked = fresh, changed, time.Now() //nolint:forbidigo // handshakes have no clock of their own
	return c.current, nil
}

func (c *certificate) load() (*tls.Certificate, time.Time, error) {
	info, err := os.Stat(c.certFile)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read the certificate: %w", err)
	}
	if c.current != nil && info.ModTime().Equal(c.changed) {
		return c.current, c.changed, nil
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read the certificate %s and its key %s: %w", c.certFile, c.keyFile, err)
	}
	return &pair, info.ModTime(), nil
}

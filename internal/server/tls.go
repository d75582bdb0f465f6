package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/internal/cert"
)

// secure adds TLS to a listener. Browsers take HTTP/2 for requests and WebSockets, and
// other clients HTTP/1.1. TURN has a name, too (RFC 7443), which few clients say.
func (s *Server) secure(l net.Listener) (net.Listener, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1", "stun.turn"}}
	if s.certificates != nil {
		c.GetCertificate = s.noteExpiry(s.certificates.Get)
		c.NextProtos = append(c.NextProtos, cert.Protocol)
		return tls.NewListener(l, c), nil
	}
	c.GetCertificate = s.noteExpiry(s.certificateInFiles().get)
	if _, err := c.GetCertificate(nil); err != nil {
		return nil, err
	}
	return tls.NewListener(l, c), nil
}

// noteExpiry notes when the certificates that get returns expire, for the metrics.
func (s *Server) noteExpiry(get func(*tls.ClientHelloInfo) (*tls.Certificate, error)) func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, err := get(hello)
		if err == nil && pair.Leaf != nil {
			s.certificateExpiry.Store(pair.Leaf.NotAfter.Unix())
		}
		return pair, err
	}
}

// certificate is a certificate in files. They are read again when one of them
// changes, so that a renewal needs no restart.
type certificate struct {
	certFile, keyFile string
	now               func() time.Time
	log               *slog.Logger

	mu      sync.Mutex
	checked time.Time
	changed [2]time.Time
	current *tls.Certificate
}

func (s *Server) certificateInFiles() *certificate {
	return &certificate{certFile: s.config.TLSCert, keyFile: s.config.TLSKey, now: time.Now, log: s.log} //nolint:forbidigo // handshakes have no clock of their own
}

// checkEvery is how long it may take until a renewed certificate is used.
const checkEvery = time.Minute

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current != nil && c.now().Sub(c.checked) < checkEvery {
		return c.current, nil
	}
	c.checked = c.now() // also when it fails: handshakes must not read files one after the other
	if err := c.load(); err != nil {
		if c.current == nil {
			return nil, err
		}
		// Half-written files: the current certificate is better than none.
		c.log.Error("go on with the certificate from before", "err", err)
	}
	return c.current, nil
}

// load reads the files if they are not those that were read last.
func (c *certificate) load() error {
	var changed [2]time.Time
	for i, file := range []struct{ flag, name string }{{"--tls-cert", c.certFile}, {"--tls-key", c.keyFile}} {
		info, err := os.Stat(file.name)
		if err != nil {
			return fmt.Errorf("read the file of %s: %w", file.flag, err)
		}
		changed[i] = info.ModTime()
	}
	if c.current != nil && changed == c.changed {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("read the certificate %s and its key %s: %w", c.certFile, c.keyFile, err)
	}
	c.current, c.changed = &pair, changed
	return nil
}

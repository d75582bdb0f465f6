package server

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/cert"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// openCertificates prepares the certificates that the service gets by itself,
// where it is configured to.
func (s *Server) openCertificates(ctx context.Context, sealer *seal.Sealer, now func() time.Time) (err error) {
	if len(s.config.ACMEDomains) == 0 {
		return nil
	}
	c := cert.Config{
		Names: s.config.ACMEDomains, Directory: s.config.ACMEDirectory, Email: s.config.ACMEEmail,
		Wait: s.config.DrainDelay, // a balancer needs as long to notice that a node has started
		DB:   s.db, Sealer: sealer, Now: now, Logger: s.log,
	}
	if file := s.config.ACMECAFile; file != "" {
		text, err := os.ReadFile(file) //nolint:gosec // the path is configuration
		if err != nil {
			return fmt.Errorf("read --acme-ca-file: %w", err)
		}
		c.Trust = x509.NewCertPool()
		if !c.Trust.AppendCertsFromPEM(text) {
			return errors.New("--acme-ca-file holds no certificate: " + file)
		}
	}
	s.certificates, err = cert.New(ctx, c)
	return err
}

// plainHandler leads people to HTTPS, and answers the certificate authority.
func (s *Server) plainHandler() http.Handler {
	lead := http.HandlerFunc(s.leadToHTTPS)
	if s.certificates == nil {
		return lead
	}
	return s.certificates.Handler(lead)
}

// leadToHTTPS redirects to the same page over HTTPS. Only pages are redirected: a
// request with content has been sent in the clear already, and a client that is
// redirected would never learn that. The host must be one of ours, so that nobody
// makes links with our name that lead elsewhere.
func (s *Server) leadToHTTPS(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "Use https.", http.StatusForbidden) //nolint:forbidigo // there is no API without TLS
		return
	}
	host := strings.ToLower(r.Host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	public, err := url.Parse(s.config.PublicURL)
	if err != nil || host != strings.ToLower(public.Hostname()) && (s.certificates == nil || !s.certificates.Has(host)) {
		http.Error(w, "This service has another name.", http.StatusMisdirectedRequest) //nolint:forbidigo // as above
		return
	}
	page := r.URL.RequestURI()
	if !strings.HasPrefix(page, "/") { // such as * or mailto:x, which would continue the name of the host
		http.Error(w, "There is no such page.", http.StatusBadRequest) //nolint:forbidigo // as above
		return
	}
	if port := public.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	http.Redirect(w, r, "https://"+host+page, http.StatusPermanentRedirect) //nolint:gosec // the host is one of ours
}

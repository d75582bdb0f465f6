package cert

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/loop"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// Protocol is the name of the challenge tls-alpn-01 in a handshake (RFC 8737).
const Protocol = acme.ALPNProto

// Config says which certificates to get, and where from.
type Config struct {
	Names     []string       // lower case
	Directory string         // address of the certificate authority's directory
	Email     string         // the authority reports problems to this address; "" for none
	Trust     *x509.CertPool // root certificates for the authority itself; nil: those of the machine
	Wait      time.Duration  // before the first order, so that a balancer notices that the service answers

	DB     *db.DB
	Sealer *seal.Sealer
	Now    func() time.Time
	Logger *slog.Logger
}

// Certificates gets a certificate for each of its names, and renews it.
type Certificates struct {
	names     []string
	wait      time.Duration
	store     *store
	lease     *lease
	authority *authority
	manager   *autocert.Manager
	now       func() time.Time
	log       *slog.Logger

	mu    sync.Mutex
	ready map[string]bool

	tidied time.Time // used by Run only
}

// New takes the certificates that the database has. Run gets the others.
func New(ctx context.Context, c Config) (*Certificates, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, ResponseHeaderTimeout: answerWithin, TLSHandshakeTimeout: answerWithin}
	if c.Trust != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: c.Trust, MinVersion: tls.VersionTLS12}
	}
	l := &lease{db: c.DB, directory: c.Directory, holder: id.New(), now: c.Now}
	m := &Certificates{
		names: c.Names, wait: c.Wait, lease: l, now: c.Now, log: c.Logger, ready: map[string]bool{},
		store:     &store{db: c.DB, sealer: c.Sealer, directory: c.Directory, now: c.Now},
		authority: &authority{RoundTripper: transport, lease: l, log: c.Logger, orders: map[string]string{}},
	}
	m.manager = &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: m.store, Email: c.Email,
		HostPolicy: func(_ context.Context, host string) error { return m.allow(host) },
		Client: &acme.Client{
			DirectoryURL: c.Directory, HTTPClient: &http.Client{Transport: m.authority, Timeout: 2 * answerWithin}, UserAgent: "conclave",
			RetryBackoff: func(n int, _ *http.Request, _ *http.Response) time.Duration {
				if n > mostRetries {
					return 0
				}
				return time.Duration(n) * time.Second
			},
		},
	}
	for _, name := range m.names {
		if err := m.load(ctx, name); err != nil {
			return nil, err
		}
	}
	return m, nil
}

const (
	// answerWithin is how long the certificate authority may take to answer.
	answerWithin = 15 * time.Second
	// mostRetries is how often a request is sent again before the order fails. An
	// order is tried again, too.
	mostRetries = 3
)

// Has says whether a host, with or without a port, is one of the names.
func (m *Certificates) Has(host string) bool { return m.allow(host) == nil }

func (m *Certificates) allow(host string) error {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if !slices.Contains(m.names, normal(host)) {
		return fmt.Errorf("there is no certificate for %q", host)
	}
	return nil
}

// normal spells a name as in the list of names: in lower case, without a final dot.
func normal(name string) string { return strings.TrimSuffix(strings.ToLower(name), ".") }

// Get returns the certificate for a handshake: the one for its name, or the answer
// to a challenge. It orders nothing.
func (m *Certificates) Get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if err := m.allow(hello.ServerName); err != nil {
		return nil, err
	}
	if slices.Equal(hello.SupportedProtos, []string{Protocol}) {
		return m.manager.GetCertificate(hello) //nolint:wrapcheck // it names the host
	}
	name := normal(hello.ServerName)
	if !m.isReady(name) {
		return nil, fmt.Errorf("the certificate for %q was not issued yet", name)
	}
	return m.manager.GetCertificate(asking(name)) //nolint:wrapcheck // as above
}

// asking returns the handshake of a client that supports ECDSA. Every client that can
// show the interface does. For other clients autocert would order a second certificate.
func asking(name string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{ServerName: name, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
}

// Handler answers the challenge http-01, and passes other requests on. Without
// it, certificates are ordered with tls-alpn-01 only.
func (m *Certificates) Handler(other http.Handler) http.Handler {
	answers := m.manager.HTTPHandler(other)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, challenges) {
			w = &discreet{ResponseWriter: w, logger: m.log}
		}
		answers.ServeHTTP(w, r)
	})
}

// challenges is where certificate authorities ask (RFC 8555, section 8.3).
const challenges = "/.well-known/acme-challenge/"

// discreet writes a sentence of its own in place of the text of a refusal. Autocert
// answers anybody who asks with its error, which may be one of the database.
type discreet struct {
	http.ResponseWriter

	logger  *slog.Logger
	refuses bool
}

// WriteHeader begins an answer.
func (d *discreet) WriteHeader(status int) {
	d.ResponseWriter.WriteHeader(status)
	if d.refuses = status >= http.StatusBadRequest; d.refuses {
		_, _ = io.WriteString(d.ResponseWriter, "There is no answer to this challenge.\n") // the client may be gone
	}
}

// Write writes the text of an answer, unless it is a refusal.
func (d *discreet) Write(b []byte) (int, error) {
	if d.refuses {
		d.logger.Debug("a certificate authority, or a stranger, got no answer to a challenge", "reason", string(b))
		return len(b), nil
	}
	return d.ResponseWriter.Write(b) //nolint:wrapcheck // a ResponseWriter returns errors unchanged
}

const (
	// lookEvery is how often Run looks for missing certificates.
	lookEvery = 10 * time.Second
	// tidyEvery is how often Run looks after the certificates.
	tidyEvery = time.Hour
)

// Run gets the missing certificates and looks after all of them, until ctx ends.
func (m *Certificates) Run(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(m.wait):
	}
	loop.Every(ctx, lookEvery, m.round, func(err error) {
		m.log.ErrorContext(ctx, "look after the certificates", "error", err)
	})
	m.authority.closed.Store(true)
}

func (m *Certificates) round(ctx context.Context) error {
	missing, err := m.missing(ctx)
	if err == nil && len(missing) > 0 {
		err = m.order(ctx)
	}
	if m.now().Sub(m.tidied) < tidyEvery {
		return err
	}
	m.tidied = m.now()
	for _, name := range m.names {
		m.warn(ctx, name)
	}
	return errors.Join(err, m.store.forget(ctx))
}

// missing returns the names without a certificate, after a look into the
// database.
func (m *Certificates) missing(ctx context.Context) (missing []string, err error) {
	for _, name := range m.names {
		if err := m.load(ctx, name); err != nil {
			return nil, err
		}
		if !m.isReady(name) {
			missing = append(missing, name)
		}
	}
	return missing, nil
}

// load takes a certificate from the database, if it is there and this node does
// not have it.
func (m *Certificates) load(ctx context.Context, name string) error {
	if m.isReady(name) {
		return nil
	}
	text, err := m.store.Get(ctx, name)
	if errors.Is(err, autocert.ErrCacheMiss) {
		return nil
	}
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil || m.now().After(pair.Leaf.NotAfter) || m.now().Before(pair.Leaf.NotBefore) || pair.Leaf.VerifyHostname(name) != nil {
		return nil //nolint:nilerr // autocert refuses such a certificate, too, and orders another
	}
	if _, err := m.manager.GetCertificate(asking(name)); err == nil {
		m.setReady(name)
	}
	return nil
}

func (m *Certificates) isReady(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ready[name]
}

func (m *Certificates) setReady(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready[name] = true
}

// order orders the missing certificates, if this node gets the lease. It returns
// early when ctx ends, because autocert cannot cancel an order.
func (m *Certificates) order(ctx context.Context) error {
	taken, err := m.lease.take(ctx)
	if err != nil || !taken {
		return err
	}
	missing, err := m.missing(ctx) // another node may have had the lease until now
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- m.orderAll(ctx, missing) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		m.authority.closed.Store(true)
		return m.lease.release(context.WithoutCancel(ctx))
	}
	if err == nil {
		return m.lease.release(ctx)
	}
	next, failed := m.lease.pause(ctx)
	m.log.ErrorContext(ctx, "no certificate yet: the service does not answer at these names", "next_try", next.UTC().Format(time.RFC3339), "error", err)
	return failed
}

func (m *Certificates) orderAll(ctx context.Context, names []string) error {
	var failed []error
	for _, name := range names {
		m.log.InfoContext(ctx, "ordering a certificate", "name", name, "directory", m.lease.directory)
		if _, err := m.manager.GetCertificate(asking(name)); err != nil {
			failed = append(failed, fmt.Errorf("order a certificate for %s: %w", name, err))
			continue
		}
		m.setReady(name)
		m.log.InfoContext(ctx, "the certificate was issued", "name", name)
	}
	return errors.Join(failed...)
}

// warn logs an error when a certificate should have been renewed: autocert renews it
// when a third of its time is left, or 30 days if those are less.
func (m *Certificates) warn(ctx context.Context, name string) {
	current, err := m.Get(asking(name))
	if err != nil {
		return // order says so
	}
	leaf := current.Leaf
	late := min(leaf.NotAfter.Sub(leaf.NotBefore)/4, 3*7*24*time.Hour)
	if left := leaf.NotAfter.Sub(m.now()); left < late {
		m.log.ErrorContext(ctx, "the certificate should have been renewed by now", "name", name, "expires", leaf.NotAfter.UTC().Format(time.RFC3339))
	}
}

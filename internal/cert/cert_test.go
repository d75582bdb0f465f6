package cert

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/acme/autocert"

	"github.com/conclave-rooms/conclave/internal/cert/certtest"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/logtest"
	"github.com/conclave-rooms/conclave/internal/seal"
)

const name = "meet.example.com"

// site is what the nodes of a service have in common.
type site struct {
	authority *certtest.Pebble
	names     []string
	sealer    *seal.Sealer
	log       logtest.Book

	mu    sync.Mutex
	ahead time.Duration // of the real clock
}

func newSite(t *testing.T, o certtest.Options, names ...string) *site {
	t.Helper()
	sealer, err := seal.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	return &site{authority: certtest.Start(t, o), names: names, sealer: sealer}
}

func (s *site) now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.ahead)
}

func (s *site) advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead += d
}

// node starts a node, which gets no certificates by itself.
func (s *site) node(t *testing.T, d *db.DB) *Certificates {
	t.Helper()
	m, err := New(t.Context(), Config{
		Names: s.names, Directory: s.authority.Directory, Email: "owner@example.com", Trust: s.authority.Trust,
		DB: d, Sealer: s.sealer, Now: s.now, Logger: slog.New(slog.NewTextHandler(&s.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.authority.closed.Store(true) })
	return m
}

// ports are a listener for HTTPS and one for HTTP, at which nobody answers yet.
type ports struct{ tls, http net.Listener }

func listen(t *testing.T) ports {
	t.Helper()
	var p ports
	for _, l := range []*net.Listener{&p.tls, &p.http} {
		var err error
		if *l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = (*l).Close() })
	}
	return p
}

func port(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// serve lets a node answer at these ports.
func (p ports) serve(t *testing.T, m *Certificates) {
	t.Helper()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the page") })
	quiet := slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure := &http.Server{Handler: page, ErrorLog: quiet}
	plain := &http.Server{Handler: m.Handler(page), ErrorLog: quiet}
	go func() {
		_ = secure.Serve(tls.NewListener(p.tls, &tls.Config{GetCertificate: m.Get, NextProtos: []string{"http/1.1", Protocol}}))
	}()
	go func() { _ = plain.Serve(p.http) }()
	t.Cleanup(func() { _, _ = secure.Close(), plain.Close() })
}

// greet makes a handshake and returns the certificate.
func (s *site) greet(p ports, name string) (*x509.Certificate, error) {
	d := &tls.Dialer{Config: &tls.Config{ServerName: name, RootCAs: s.authority.Issued}}
	c, err := d.Dial("tcp", p.tls.Addr().String())
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	return c.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

// wantGreeting fails the test unless the handshake shows a certificate for the
// name, which the authority issued.
func (s *site) wantGreeting(t *testing.T, p ports) *x509.Certificate {
	t.Helper()
	leaf, err := s.greet(p, name)
	if err != nil {
		t.Fatalf("a handshake for %s: %v\n%s", name, err, &s.log)
	}
	return leaf
}

func (s *site) wantOrders(t *testing.T, want int) {
	t.Helper()
	if got := s.authority.Orders(); got != want {
		t.Errorf("%d orders were made, want %d\n%s", got, want, &s.log)
	}
}

// look lets a node look for certificates once.
func look(t *testing.T, m *Certificates) {
	t.Helper()
	if err := m.round(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestACertificateIsOrderedOnce(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		p := listen(t)
		s := newSite(t, certtest.Options{TLSPort: port(p.tls)}, name)
		d := dbtest.Open(t, where)
		m := s.node(t, d)
		p.serve(t, m)
		if leaf, err := s.greet(p, name); err == nil {
			t.Errorf("before the order there is a certificate: %v", leaf.Subject)
		}
		s.wantOrders(t, 0) // handshakes make none
		look(t, m)
		leaf := s.wantGreeting(t, p)
		look(t, m)
		s.wantOrders(t, 1)

		// Another process on the same data, such as one after a kill -9, has it at once.
		again := listen(t)
		again.serve(t, s.node(t, d))
		if after := s.wantGreeting(t, again); after.SerialNumber.Cmp(leaf.SerialNumber) != 0 {
			t.Error("after the restart it is another certificate")
		}
		s.wantOrders(t, 1)
		if stored := dbtest.Stored(t, where); bytes.Contains(stored, []byte("PRIVATE KEY")) || bytes.Contains(stored, []byte("BEGIN")) {
			t.Error("a private key lies open in the database")
		}
	})
}

// Each node answers for an order that another one made, by either challenge.
func TestAnotherNodeAnswersTheChallenge(t *testing.T) {
	t.Parallel()
	for challenge, ask := range map[string]func(p ports) certtest.Options{
		"tls-alpn-01": func(p ports) certtest.Options { return certtest.Options{TLSPort: port(p.tls)} },
		"http-01":     func(p ports) certtest.Options { return certtest.Options{HTTPPort: port(p.http)} },
	} {
		t.Run(challenge, func(t *testing.T) {
			t.Parallel()
			where := dbtest.Config(t, db.PostgreSQL)
			first, second := listen(t), listen(t)
			s := newSite(t, ask(second), name)
			ordering, answering := s.node(t, dbtest.Open(t, where)), s.node(t, dbtest.Open(t, where))
			first.serve(t, ordering)
			second.serve(t, answering)
			look(t, ordering)
			s.wantGreeting(t, first)
			orders := s.authority.Orders()
			look(t, answering)
			s.wantGreeting(t, second)
			s.wantOrders(t, orders)
		})
	}
}

func TestNodesDoNotOrderAtTheSameTime(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	at := []ports{listen(t), listen(t), listen(t)}
	s := newSite(t, certtest.Options{TLSPort: port(at[1].tls)}, name)
	var nodes sync.WaitGroup
	for _, p := range at {
		m := s.node(t, dbtest.Open(t, where))
		p.serve(t, m)
		nodes.Go(func() {
			for !m.isReady(name) && t.Context().Err() == nil {
				if err := m.round(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	nodes.Wait()
	s.wantOrders(t, 1)
	for _, p := range at {
		s.wantGreeting(t, p)
	}
}

func TestOtherNamesAreRefusedWithoutAnOrder(t *testing.T) {
	t.Parallel()
	p := listen(t)
	s := newSite(t, certtest.Options{TLSPort: port(p.tls)}, name)
	m := s.node(t, dbtest.Open(t, dbtest.Config(t, db.SQLite)))
	p.serve(t, m)
	look(t, m)
	for _, other := range []string{"", "example.com", "a.meet.example.com", "127.0.0.1"} {
		if _, err := m.Get(asking(other)); err == nil {
			t.Errorf("a handshake for %q has a certificate", other)
		}
		challenge := &tls.ClientHelloInfo{ServerName: other, SupportedProtos: []string{Protocol}}
		if _, err := m.Get(challenge); err == nil {
			t.Errorf("a challenge for %q has an answer", other)
		}
	}
	if _, err := m.Get(asking("MEET.example.com.")); err != nil {
		t.Errorf("another spelling of the name: %v", err)
	}
	s.wantOrders(t, 1)
}

// Anybody may ask for the answer to a challenge, and must not learn why there is none:
// the database's errors name its address and its user.
func TestStrangersDoNotReadErrorsOfTheDatabase(t *testing.T) {
	t.Parallel()
	s := newSite(t, certtest.Options{}, name)
	d := dbtest.Open(t, dbtest.Config(t, db.SQLite))
	m := s.node(t, d)
	d.Close()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+name+challenges+"token", http.NoBody)
	w := httptest.NewRecorder()
	m.Handler(http.NotFoundHandler()).ServeHTTP(w, r)
	const want = "There is no answer to this challenge.\n"
	if w.Code != http.StatusNotFound || w.Body.String() != want {
		t.Errorf("the answer is %d %q, want 404 %q", w.Code, w.Body, want)
	}
}

// A certificate is renewed while the authority answers, and goes on being used
// while it does not.
func TestACertificateIsRenewedWhileTheAuthorityAnswers(t *testing.T) {
	t.Parallel()
	p := listen(t)
	// It is renewed when a third of its time is left, which has to be enough on a
	// busy machine.
	s := newSite(t, certtest.Options{TLSPort: port(p.tls), Validity: 24 * time.Second}, name)
	d := dbtest.Open(t, dbtest.Config(t, db.SQLite))
	m := s.node(t, d)
	p.serve(t, m)
	look(t, m)
	first := s.wantGreeting(t, p)
	deadline, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for s.wantGreeting(t, p).SerialNumber.Cmp(first.SerialNumber) == 0 {
		select {
		case <-tick.C:
		case <-deadline.Done():
			t.Fatalf("the certificate was not renewed:\n%s", &s.log)
		}
	}
	s.wantOrders(t, 2)
	s.authority.Stop()
	s.wantGreeting(t, p)
	s.advance(time.Hour)
	look(t, m)
	if !strings.Contains(s.log.String(), "the certificate should have been renewed by now") {
		t.Errorf("the log does not say that the certificate expires:\n%s", &s.log)
	}
	s.wantGreeting(t, p)
}

// One node holds the lease at a time, and keeps it until two minutes after its
// last request.
func TestOneNodeHoldsTheLeaseAtATime(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		now := time.UnixMilli(1_800_000_000_000)
		clock := func() time.Time { return now }
		one, two := &lease{d, "https://ca.example", "one", clock}, &lease{d, "https://ca.example", "two", clock}
		other := &lease{d, "https://other.example", "two", clock}
		want := func(l *lease, want bool) {
			t.Helper()
			if got, err := l.take(t.Context()); got != want || err != nil {
				t.Errorf("%s takes it: %v, %v; want %v", l.holder, got, err, want)
			}
		}
		want(one, true)
		want(two, false)
		want(other, true)
		now = now.Add(leaseFor - time.Second)
		want(one, true)
		now = now.Add(leaseFor - time.Second)
		want(two, false)
		now = now.Add(time.Second)
		want(two, true)
		want(one, false)
		if err := two.release(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, pause := range []time.Duration{time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute, time.Hour, time.Hour} {
			want(one, true)
			until, err := one.pause(t.Context())
			if err != nil || until.Sub(now) != pause {
				t.Errorf("a pause until %v, %v; want %v", until.Sub(now), err, pause)
			}
			now = now.Add(pause - time.Second)
			want(one, false)
			want(two, false)
			now = now.Add(time.Second)
		}
	})
}

func TestAnswersToChallengesAreForgotten(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		sealer, err := seal.New(make([]byte, 32))
		if err != nil {
			t.Fatal(err)
		}
		now := time.UnixMilli(1_800_000_000_000)
		s := &store{db: d, sealer: sealer, directory: "https://ca.example", now: func() time.Time { return now }}
		for _, key := range []string{name + "+token", "x+http-01", "acme_account+key"} {
			if err := s.Put(t.Context(), key, []byte("value of "+key)); err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(answerFor + time.Second)
		if err := s.forget(t.Context()); err != nil {
			t.Fatal(err)
		}
		for key, kept := range map[string]bool{name + "+token": false, "x+http-01": false, "acme_account+key": true} {
			value, err := s.Get(t.Context(), key)
			if kept && (err != nil || string(value) != "value of "+key) || !kept && !errors.Is(err, autocert.ErrCacheMiss) {
				t.Errorf("%s: %q, %v; kept should be %v", key, value, err, kept)
			}
		}
	})
}

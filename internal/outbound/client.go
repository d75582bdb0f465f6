package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"code.dny.dev/ssrf"
)

const (
	// DefaultTimeout is what a receiver has for everything: finding it,
	// connecting, TLS, and its answer.
	DefaultTimeout = 10 * time.Second
	// mostRead bounds what is read of an answer, and of its headers.
	mostRead = 64 << 10
	// mostIdle and idleFor bound the connections that are kept for the next
	// request. Many servers close theirs after five seconds; ours go first, so
	// that a request seldom meets one that is just being closed.
	mostIdle = 4
	idleFor  = 4 * time.Second
)

// Config is what a client is made of.
type Config struct {
	// AllowPrivate lets everything through: http, and private addresses. For
	// development only.
	AllowPrivate bool
	Timeout      time.Duration  // zero: DefaultTimeout
	Resolver     *net.Resolver  // nil: the system's
	RootCAs      *x509.CertPool // nil: the system's
	UserAgent    string
}

// Client sends requests to strangers.
type Client struct {
	Config

	guardian *ssrf.Guardian
	http     *http.Client
}

// New makes a client. It keeps connections, so a process has one.
func New(c Config) *Client {
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	client := &Client{Config: c, guardian: ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(azure))}
	client.http = &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  nil, // not that of the environment
			DialContext:            client.dial,
			DialTLSContext:         client.dialTLS,
			MaxIdleConnsPerHost:    mostIdle,
			MaxIdleConns:           1000,
			IdleConnTimeout:        idleFor,
			MaxResponseHeaderBytes: mostRead,
			DisableCompression:     true, // the answer is thrown away, and 64 KiB could become anything
			// Requests over HTTP/2 would share a connection and wait for each other.
			TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
		},
	}
	return client
}

// Close closes the connections that are kept.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Answer is what came back.
type Answer struct {
	Status     int
	retryAfter string
}

// RetryAfter is how long the receiver asks to be left alone, in either form of
// the header (RFC 9110, section 10.2.3); zero when it does not ask.
func (a Answer) RetryAfter(now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(a.retryAfter); err == nil {
		return time.Duration(min(max(seconds, 0), mostSeconds)) * time.Second
	}
	if at, err := http.ParseTime(a.retryAfter); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// mostSeconds keeps a number of seconds within what a time.Duration holds.
const mostSeconds = 1 << 30

// Post sends a body. An answer of any status is an answer; without one the
// error is an *Error, or the context's when it ended from outside.
func (c *Client) Post(ctx context.Context, address string, header map[string]string, body []byte) (Answer, error) {
	var answer Answer
	err := c.send(ctx, Request{Method: http.MethodPost, Address: address, Header: header, Body: body}, func(res *http.Response) error {
		answer = AnswerOf(res)
		// Only a body that was read to its end leaves the connection usable. What
		// it holds, and whether it ends at all, says nothing. Whoever switches to
		// another protocol has none: what is in its place is the bare connection,
		// which ends when the receiver likes, whatever time there is.
		if res.StatusCode != http.StatusSwitchingProtocols {
			_, _ = io.CopyN(io.Discard, res.Body, mostRead)
		}
		return nil
	})
	return answer, err
}

// send sends a request and lets read take what it needs of the answer.
func (c *Client) send(ctx context.Context, r Request, read func(*http.Response) error) error {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, r.Method, r.Address, bytes.NewReader(r.Body))
	if err != nil {
		return failure(err)
	}
	if req.URL.Scheme != "https" && !c.AllowPrivate {
		return &Error{Reason: ReasonBlocked, cause: ErrNotHTTPS} // it may be from a time when that was allowed
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", c.UserAgent)
	// A kept connection may turn out to be closed at the very moment it is used
	// again. net/http then takes a new one, but of a POST only when it is told
	// that a repetition does no harm: by this header, which is not sent as it
	// has no value.
	req.Header["Idempotency-Key"] = []string{}
	res, err := c.http.Do(req)
	if err == nil {
		defer func() { _ = res.Body.Close() }()
		// An answer may still come in while net/http hangs up because the time is
		// over; hanging up may even be what the receiver answers to.
		err = limited.Err()
	}
	if err == nil {
		err = read(res)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err() //nolint:wrapcheck // whoever ended it knows why
		}
		return failure(err)
	}
	return nil
}

// dial connects to an address that may be connected to.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Resolver: c.Resolver, KeepAlive: -1, Timeout: c.Timeout}
	if !c.AllowPrivate {
		dialer.Control = c.guardian.Safe // after the name was resolved, for each address that is tried
	}
	conn, err := dialer.DialContext(ctx, network, address)
	if err == nil {
		return conn, nil
	}
	var unresolved *net.DNSError
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedNetwork), errors.Is(err, ssrf.ErrInvalidHostPort):
		return nil, &Error{Reason: ReasonBlocked, cause: err}
	case errors.As(err, &unresolved):
		return nil, &Error{Reason: ReasonDNS, cause: err}
	}
	return nil, &Error{Reason: ReasonConnect, cause: err}
}

// dialTLS connects and shakes hands. Its context does not end with the request:
// net/http would keep the connection for the next one. Without a time of its
// own, whoever takes connections and never shakes hands would collect one with
// every attempt.
func (c *Client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	plain, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		_ = plain.Close()
		return nil, &Error{Reason: ReasonConnect, cause: err}
	}
	secured := tls.Client(plain, &tls.Config{ServerName: host, RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		return nil, &Error{Reason: ReasonTLS, cause: err}
	}
	return secured, nil
}

func (c *Client) resolver() *net.Resolver {
	if c.Resolver != nil {
		return c.Resolver
	}
	return net.DefaultResolver
}

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
	// DefaultTimeout is how long a request may take in total: resolving,
	// connecting, TLS, and the answer.
	DefaultTimeout = 10 * time.Second
	// mostRead bounds how much of an answer, and of its headers, is read.
	mostRead = 64 << 10
	// mostIdle and idleFor bound the connections that are kept for later
	// requests. Many servers close theirs after five seconds. The client closes
	// its own earlier, so that a request rarely meets one that is being closed.
	mostIdle = 4
	idleFor  = 4 * time.Second
)

// Config configures a client.
type Config struct {
	// AllowPrivate permits http and private addresses. For development only.
	AllowPrivate bool
	Timeout      time.Duration  // zero: DefaultTimeout
	Resolver     *net.Resolver  // nil: the system's
	RootCAs      *x509.CertPool // nil: the system's
	UserAgent    string
}

// Client sends requests to addresses that strangers chose.
type Client struct {
	Config

	guardian *ssrf.Guardian
	http     *http.Client
}

// New makes a client. It keeps connections, so a process needs only one.
func New(c Config) *Client {
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	client := &Client{Config: c, guardian: ssrf.New(ssrf.WithAnyPort(), ssrf.WithDeniedV4Prefixes(azure))}
	client.http = &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  nil, // ignore the proxy of the environment
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

// Answer is the answer to a request, without its body.
type Answer struct {
	Status     int
	retryAfter string
}

// RetryAfter is how long the receiver asks the client to wait, in either form
// of the header (RFC 9110, section 10.2.3); zero without one.
func (a Answer) RetryAfter(now time.Time) time.Duration {
	if seconds, err := strconv.Atoi(a.retryAfter); err == nil {
		return time.Duration(min(max(seconds, 0), mostSeconds)) * time.Second
	}
	if at, err := http.ParseTime(a.retryAfter); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// mostSeconds keeps a number of seconds within the range of time.Duration.
const mostSeconds = 1 << 30

// Post sends a body. An answer with any status is a success. Without an answer
// the error is an *Error, or the context's error if ctx ended.
func (c *Client) Post(ctx context.Context, address string, header map[string]string, body []byte) (Answer, error) {
	var answer Answer
	err := c.send(ctx, Request{Method: http.MethodPost, Address: address, Header: header, Body: body}, func(res *http.Response) error {
		answer = AnswerOf(res)
		// The connection can only be used again when the body was read to its
		// end. Its content, and whether it ends at all, does not matter. After
		// a switch of protocols there is no body: reading it would read the
		// connection, without a time limit.
		if res.StatusCode != http.StatusSwitchingProtocols {
			_, _ = io.CopyN(io.Discard, res.Body, mostRead)
		}
		return nil
	})
	return answer, err
}

// send sends a request and lets read read the answer.
func (c *Client) send(ctx context.Context, r Request, read func(*http.Response) error) error {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, r.Method, r.Address, bytes.NewReader(r.Body))
	if err != nil {
		return failure(err)
	}
	if req.URL.Scheme != "https" && !c.AllowPrivate {
		return &Error{Reason: ReasonBlocked, cause: ErrNotHTTPS} // the address may be from a time when http was allowed
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", c.UserAgent)
	// A kept connection may close just when it is used again. net/http then
	// takes a new one, but repeats a POST only if this header says that this
	// does no harm. The header has no value, so it is not sent.
	req.Header["Idempotency-Key"] = []string{}
	res, err := c.http.Do(req)
	if err == nil {
		defer func() { _ = res.Body.Close() }()
		// An answer may still arrive while net/http closes the connection
		// because the time is over, and may even be caused by that.
		err = limited.Err()
	}
	if err == nil {
		err = read(res)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err() //nolint:wrapcheck // the caller ended it and knows why
		}
		return failure(err)
	}
	return nil
}

// dial connects to an address that is allowed.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Resolver: c.Resolver, KeepAlive: -1, Timeout: c.Timeout}
	if !c.AllowPrivate {
		dialer.Control = c.guardian.Safe // called after the name was resolved, for each address that is tried
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

// dialTLS connects and does the TLS handshake. Its context does not end with
// the request, because net/http would keep the connection for the next one. So
// it has its own timeout: otherwise a server that accepts connections and never
// finishes the handshake would collect one with every attempt.
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

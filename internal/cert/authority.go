package cert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// errNotOurs is returned to autocert while this node may not order.
var errNotOurs = errors.New("another node orders certificates, or the next try is later")

// authority carries requests to the certificate authority, on the node that
// holds the lease. It logs why the authority does not give a certificate, because
// autocert does not log that.
type authority struct {
	http.RoundTripper

	lease  *lease
	log    *slog.Logger
	closed atomic.Bool // the service stops

	mu     sync.Mutex
	said   string
	saidAt time.Time
	orders map[string]string // addresses of orders, by where they are finalized
}

// RoundTrip sends a request.
func (a *authority) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.closed.Load() {
		return nil, errors.New("the service stops")
	}
	taken, err := a.lease.take(r.Context())
	if err != nil {
		return nil, err
	}
	if !taken {
		return nil, errNotOurs
	}
	res, err := a.RoundTripper.RoundTrip(r)
	if err != nil {
		a.say("it does not answer: " + err.Error())
		return nil, err //nolint:wrapcheck // the client names the request
	}
	// Package acme reads the whole text of a refusal into memory.
	res.Body = http.MaxBytesReader(nil, res.Body, mostAnswer)
	if !strings.Contains(res.Header.Get("Content-Type"), "json") {
		if res.StatusCode >= http.StatusBadRequest {
			a.say("it answers " + res.Status)
		}
		return res, nil
	}
	body, err := io.ReadAll(res.Body)
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return nil, fmt.Errorf("read the answer of the certificate authority: %w", err)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	a.locate(res, body)
	if reason := complaint(res.StatusCode, body); reason != "" {
		a.say(reason)
	}
	return res, nil
}

// locate adds the address of an order to an answer that has the order without its
// address. Package acme waits for the order at this address, and authorities need
// not repeat it when an order is finalized (RFC 8555, section 7.4).
func (a *authority) locate(res *http.Response, body []byte) {
	var order struct {
		Finalize string `json:"finalize"`
	}
	if json.Unmarshal(body, &order) != nil || order.Finalize == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if at := res.Header.Get("Location"); at != "" {
		a.orders[order.Finalize] = at
		return
	}
	if at := a.orders[order.Finalize]; at != "" {
		res.Header.Set("Location", at)
	}
}

// mostAnswer is the size of the largest answer that is read. Those of
// authorities have a few kilobytes.
const mostAnswer = 1 << 20

// problem is a problem document (RFC 7807).
type problem struct {
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// complaint returns why an answer refuses a request, or why a challenge failed; ""
// if the answer says neither.
func complaint(status int, body []byte) string {
	if status >= http.StatusBadRequest {
		var p problem
		if err := json.Unmarshal(body, &p); err != nil || strings.HasSuffix(p.Type, ":badNonce") {
			return "" // a nonce has expired, and autocert sends the request again
		}
		return fmt.Sprintf("%s (%s)", p.Detail, p.Type)
	}
	var authorization struct {
		Status     string `json:"status"`
		Challenges []struct {
			Type  string  `json:"type"`
			Error problem `json:"error"`
		} `json:"challenges"`
	}
	if err := json.Unmarshal(body, &authorization); err != nil || authorization.Status != "invalid" {
		return ""
	}
	var reasons []string
	for _, c := range authorization.Challenges {
		if c.Error.Detail != "" {
			reasons = append(reasons, fmt.Sprintf("the challenge %s failed: %s (%s)", c.Type, c.Error.Detail, c.Error.Type))
		}
	}
	return strings.Join(reasons, "; ")
}

// sayEvery is how often the same reason is logged.
const sayEvery = 10 * time.Minute

func (a *authority) say(reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.lease.now()
	if reason == a.said && now.Sub(a.saidAt) < sayEvery {
		return
	}
	a.said, a.saidAt = reason, now
	a.log.Warn("the certificate authority gives no certificate", "directory", a.lease.directory, "reason", reason)
}

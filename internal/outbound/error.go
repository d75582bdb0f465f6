package outbound

import (
	"context"
	"errors"
	"net"
	"net/url"
)

// Reason is why there was no answer, in one word.
type Reason string

// The reasons.
const (
	ReasonTimeout Reason = "timeout"         // the ten seconds were over
	ReasonDNS     Reason = "dns_error"       // the name does not resolve
	ReasonConnect Reason = "connect_error"   // nobody answers there, or the connection broke
	ReasonTLS     Reason = "tls_error"       // the certificate is not good, or it is not TLS
	ReasonBlocked Reason = "blocked_address" // the name leads to an address that is not public
	ReasonTooLong Reason = "answer_too_long" // the answer is longer than the caller takes; of Do only
)

// Error is a request that got no answer.
type Error struct {
	Reason Reason

	cause error
}

// Error is the reason with its cause, for the log.
func (e *Error) Error() string { return string(e.Reason) + ": " + e.cause.Error() }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// failure finds the reason of a failed request. That time was up comes first:
// it shows as whatever was being done then. The address is left out: it may
// hold a secret, and the cause goes to the log.
func failure(err error) *Error {
	if at, ok := errors.AsType[*url.Error](err); ok {
		err = at.Err
	}
	timeout, isTimeout := errors.AsType[net.Error](err)
	if errors.Is(err, context.DeadlineExceeded) || isTimeout && timeout.Timeout() {
		return &Error{Reason: ReasonTimeout, cause: err}
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Reason: ReasonConnect, cause: err}
}

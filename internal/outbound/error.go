package outbound

import (
	"context"
	"errors"
	"net"
	"net/url"
)

// Reason says in one word why there was no answer.
type Reason string

// The reasons.
const (
	ReasonTimeout Reason = "timeout"         // the ten seconds were over
	ReasonDNS     Reason = "dns_error"       // the name does not resolve
	ReasonConnect Reason = "connect_error"   // nothing answers there, or the connection broke
	ReasonTLS     Reason = "tls_error"       // the certificate is not valid, or it is not TLS
	ReasonBlocked Reason = "blocked_address" // the name leads to an address that is not public
	ReasonTooLong Reason = "answer_too_long" // the answer is longer than the caller accepts; only of Do
)

// Error is the error of a request without an answer.
type Error struct {
	Reason Reason

	cause error
}

// Error is the reason with its cause, for the log.
func (e *Error) Error() string { return string(e.Reason) + ": " + e.cause.Error() }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// failure finds the reason of a failed request. It checks for the time limit
// first, because an expired limit looks like a failure of the current step. It
// leaves out the address, which may hold a secret, because the cause goes to
// the log.
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

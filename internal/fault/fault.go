// Package fault is how the service refuses a request.
//
// A refusal is an *Error: a kind, a stable code from package api, and a
// sentence that a person can act on. Any other error is a failure of the
// service: the edge (package rest) answers internal_error without its text, and
// logs it once.
//
// Features return faults. Only package rest knows the HTTP status of each kind.
package fault

import (
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// Kind groups refusals by what the caller can do about them. Each kind is one
// HTTP status at the edge.
type Kind int

// The kinds, with the status the edge gives them.
const (
	Invalid              Kind = iota + 1 // 400: the request is wrong
	Unauthenticated                      // 401: the caller is not recognised
	Forbidden                            // 403: the caller may not do this
	NotFound                             // 404: not there, or of another workspace
	MethodNotAllowed                     // 405
	Conflict                             // 409: the object's state does not allow it
	TooLarge                             // 413
	UnsupportedMediaType                 // 415
	RangeNotSatisfiable                  // 416
	KeyReused                            // 422: an idempotency key was reused for another request
	RateLimited                          // 429
	Internal                             // 500
	Unavailable                          // 503: try again later
	StorageFull                          // 507: the storage is full
)

// Field is one wrong field of a request.
type Field struct {
	Param   string // path into the body (settings.access, placements[2].room), query or path name
	Code    string
	Message string
}

// Error is a refusal.
type Error struct {
	Kind          Kind
	Code          string
	Message       string
	Param         string
	Fields        []Field       // every wrong field, in the order of the schema
	RequiredScope string        // on insufficient_scope
	RetryAfter    time.Duration // on RateLimited and Unavailable
	Allow         string        // on MethodNotAllowed
	cause         error
}

// Error is the sentence with its code, for logs and tests.
func (e *Error) Error() string {
	if e.Param != "" {
		return fmt.Sprintf("%s (%s): %s", e.Code, e.Param, e.Message)
	}
	return e.Code + ": " + e.Message
}

// Unwrap returns the cause of an Unavailable refusal, for the log.
func (e *Error) Unwrap() error { return e.cause }

// As finds the refusal in an error chain.
func As(err error) (*Error, bool) {
	e, ok := errors.AsType[*Error](err)
	return e, ok
}

// HasCode says whether err is a refusal with this code.
func HasCode(err error, code string) bool {
	e, ok := As(err)
	return ok && e.Code == code
}

// New makes a refusal.
func New(kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// Parameter refuses one field of a request.
func Parameter(param, code, message string) *Error {
	return Parameters([]Field{{Param: param, Code: code, Message: message}})
}

// BadParameter refuses a field that has a wrong value.
func BadParameter(param, message string) *Error {
	return Parameter(param, api.CodeParameterInvalid, message)
}

// Parameters refuses a request for all its wrong fields at once. The first one
// provides the top-level code, message and param. There must be at least one.
func Parameters(fields []Field) *Error {
	first := fields[0]
	return &Error{Kind: Invalid, Code: first.Code, Message: first.Message, Param: first.Param, Fields: fields}
}

// Together makes one refusal of the wrong fields of several; nil when there are none.
func Together(refusals ...error) error {
	var fields []Field
	for _, refusal := range refusals {
		if f, ok := As(refusal); ok {
			fields = append(fields, f.Fields...)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return Parameters(fields)
}

// Missing refuses because the object does not exist. Unknown, malformed,
// deleted and foreign ids all get this same answer, so that nobody can find out
// what exists elsewhere.
func Missing() *Error {
	return &Error{Kind: NotFound, Code: api.CodeNotFound, Message: "There is nothing at this address, or your credentials cannot see it."}
}

// MissingParam refuses because an object named by a parameter does not exist.
func MissingParam(param, message string) *Error {
	return &Error{Kind: NotFound, Code: api.CodeNotFound, Message: message, Param: param}
}

// Conflicting refuses because of the state the object is in.
func Conflicting(code, message string) *Error { return New(Conflict, code, message) }

// Down refuses because a part of the service does not answer. The cause goes to
// the log and never to the caller.
func Down(code, message string, retryAfter time.Duration, cause error) *Error {
	return &Error{Kind: Unavailable, Code: code, Message: message, RetryAfter: retryAfter, cause: cause}
}

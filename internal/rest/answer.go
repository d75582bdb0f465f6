package rest

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/schema"
)

const mediaJSON = "application/json"

// answer is a complete response that is not written yet: one to a request with
// an Idempotency-Key is stored first.
type answer struct {
	Status   int    `json:"status"`
	Location string `json:"location,omitempty"`
	Body     []byte `json:"body"`
}

// Done is the answer to an action that has nothing to show: the streams send the
// change to everybody. It is an alias, because the document calls the type done.
type Done = done

type done struct {
	Object string `json:"object" enum:"done"`
	Done   bool   `json:"done"`
}

// Did answers an action that has nothing to show, or returns its error.
func Did(err error) (Done, error) { return Done{Object: "done", Done: true}, err }

func writeAnswer(w http.ResponseWriter, a answer) {
	h := w.Header()
	h.Set("Content-Type", mediaJSON)
	h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	if a.Location != "" {
		h.Set("Location", a.Location)
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // the client may be gone
}

// statusOf maps kinds of faults to HTTP statuses; nothing else knows them.
func statusOf(kind fault.Kind) int {
	switch kind {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.NotFound:
		return http.StatusNotFound
	case fault.MethodNotAllowed:
		return http.StatusMethodNotAllowed
	case fault.Conflict:
		return http.StatusConflict
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.UnsupportedMediaType:
		return http.StatusUnsupportedMediaType
	case fault.RangeNotSatisfiable:
		return http.StatusRequestedRangeNotSatisfiable
	case fault.KeyReused:
		return http.StatusUnprocessableEntity
	case fault.RateLimited:
		return http.StatusTooManyRequests
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	case fault.StorageFull:
		return http.StatusInsufficientStorage
	case fault.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}

func typeOf(kind fault.Kind, code string) string {
	if code == api.CodeIdempotencyKeyInUse || code == api.CodeIdempotencyKeyReused {
		return api.TypeIdempotency
	}
	switch kind {
	case fault.Unauthenticated:
		return api.TypeAuthentication
	case fault.Forbidden:
		return api.TypePermission
	case fault.NotFound:
		return api.TypeNotFound
	case fault.Conflict:
		return api.TypeConflict
	case fault.RateLimited:
		return api.TypeRateLimit
	case fault.Internal, fault.Unavailable, fault.StorageFull:
		return api.TypeAPI
	case fault.Invalid, fault.MethodNotAllowed, fault.TooLarge, fault.UnsupportedMediaType, fault.RangeNotSatisfiable, fault.KeyReused:
		return api.TypeInvalidRequest
	}
	return api.TypeAPI
}

// internalFault is what a caller reads when an error is not a fault: that
// something went wrong. The log tells more under the request's id.
func internalFault() *fault.Error {
	return fault.New(fault.Internal, api.CodeInternalError,
		"Something went wrong on our side. Try again, and tell the operator the request id if it happens again.")
}

// unknownOutcome is what a caller reads when the database did not say whether it has
// stored a change.
func unknownOutcome() *fault.Error {
	return fault.New(fault.Internal, api.CodeInternalError,
		"The database did not say whether the change was made. Look whether it was before you send the request again.")
}

// refusal makes the response for a fault, with its envelope.
func (e *Edge) refusal(f *fault.Error, requestID string) (answer, error) {
	body := api.Error{
		Type:          typeOf(f.Kind, f.Code),
		Code:          f.Code,
		Message:       f.Message,
		Param:         f.Param,
		RequiredScope: f.RequiredScope,
		RetryAfter:    wholeSeconds(f.RetryAfter),
		DocURL:        e.config.PublicURL + "/docs/errors#" + f.Code,
		RequestID:     requestID,
	}
	for _, field := range f.Fields {
		body.Errors = append(body.Errors, api.FieldError{Param: field.Param, Code: field.Code, Message: field.Message})
	}
	raw, err := schema.Encode(api.ErrorResponse{Error: body})
	if err != nil {
		return answer{}, err
	}
	return answer{Status: statusOf(f.Kind), Body: raw}, nil
}

// refusalHeaders sets the headers that some faults need.
func refusalHeaders(h http.Header, f *fault.Error) {
	if f.Kind == fault.Unauthenticated {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if f.Allow != "" {
		h.Set("Allow", f.Allow)
	}
	if f.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(wholeSeconds(f.RetryAfter)))
	}
}

// wholeSeconds rounds up, because waiting for less would be too short.
func wholeSeconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

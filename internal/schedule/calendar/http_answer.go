package calendar

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/conclave-rooms/conclave/internal/outbound"
)

// mostAnswer limits the size of answers, which may be lists of calendars or events.
const mostAnswer = 1 << 20

// refusal turns an answer into an error, for statuses that mean the same at every
// provider. code is the provider's error code.
func refusal(res outbound.Response, doing, code string, now time.Time) error {
	switch res.Status {
	case http.StatusUnauthorized:
		return fmt.Errorf("%s: %w", doing, ErrRevoked)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return fmt.Errorf("%s: %w", doing, &BusyError{After: res.RetryAfter(now)})
	case http.StatusPreconditionFailed:
		return fmt.Errorf("%s: %w", doing, ErrChanged)
	}
	return &AnswerError{Doing: doing, Status: res.Status, Code: code}
}

// Unanswered reports whether an error means that a server gave no answer.
func Unanswered(err error) bool {
	_, ok := errors.AsType[*outbound.Error](err)
	return ok
}

// TooLong reports whether an error means that an answer was longer than the service
// reads, as that about an event with large attachments is.
func TooLong(err error) bool {
	failed, ok := errors.AsType[*outbound.Error](err)
	return ok && failed.Reason == outbound.ReasonTooLong
}

// good reports whether an answer is a success.
func good(res outbound.Response) bool { return res.Status >= 200 && res.Status < 300 }

// gone reports whether an answer means that the event or calendar does not exist.
func gone(res outbound.Response) bool {
	return res.Status == http.StatusNotFound || res.Status == http.StatusGone
}

// The longest id and version of an event that are stored, in bytes. Google's ids
// have at most 1024 characters (its reference of the resource Events). The length of
// an ETag is not limited, but those of real servers have less than 100 bytes.
const (
	longestID      = 1024
	longestVersion = 256
)

// storable returns a name that a provider chose, or "" when it cannot be stored: a
// database accepts neither invalid UTF-8 nor NUL.
func storable(name string, longest int) string {
	if len(name) > longest || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return ""
	}
	return name
}

// decode reads a provider's JSON.
func decode(res outbound.Response, doing string, into any) error {
	if err := json.Unmarshal(res.Body, into); err != nil {
		return fmt.Errorf("%s: read the answer: %w", doing, err)
	}
	return nil
}

// sameHost reports whether two addresses have the same scheme, host and port.
func sameHost(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

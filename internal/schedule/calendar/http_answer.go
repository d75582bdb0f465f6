package calendar

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/conclave-rooms/conclave/internal/outbound"
)

// mostAnswer bounds the answers of calendars, which hold lists of calendars and
// events.
const mostAnswer = 1 << 20

// refusal makes an error of an answer that every provider means alike. Code is
// the provider's word for it.
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

// good says whether an answer is a success.
func good(res outbound.Response) bool { return res.Status >= 200 && res.Status < 300 }

// gone says whether an answer means that what was asked for is not there.
func gone(res outbound.Response) bool {
	return res.Status == http.StatusNotFound || res.Status == http.StatusGone
}

// The longest id and version of an event that are kept, in bytes. Google's ids
// have at most 1024 characters (its reference of the resource Events); nobody
// bounds an ETag, and those of real servers have less than 100.
const (
	longestID      = 1024
	longestVersion = 256
)

// kept is what a provider calls something, "" when it cannot be stored: a
// database takes neither bytes that are not UTF-8 nor NUL.
func kept(name string, longest int) string {
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

// sameHost says whether two addresses lead to the same server, by the same
// scheme and port.
func sameHost(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}

package api

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// TimeLayout is the format of times: ISO 8601 in UTC with milliseconds.
const TimeLayout = "2006-01-02T15:04:05.000Z"

// Time is a moment, to the millisecond.
type Time struct{ time.Time }

// At returns a moment as a Time, cut to the millisecond.
func At(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// TimeOrNull returns a moment as a Time, or nil, which is null in JSON, for the zero time.
func TimeOrNull(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	at := At(t)
	return &at
}

// Millis returns the Time that is ms milliseconds after the beginning of 1970.
func Millis(ms int64) Time { return Time{time.UnixMilli(ms).UTC()} }

// String returns the time as in JSON.
func (t Time) String() string { return t.UTC().Format(TimeLayout) }

// MarshalJSON writes the time.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON reads an RFC 3339 time with an offset.
func (t *Time) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("read a time: %w", err)
	}
	parsed, err := ParseTime(s)
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}

// timeForm is the form of a time in RFC 3339, section 5.6. Package time takes others,
// too: offsets of 24 hours and more, hours of one digit, and a comma.
var timeForm = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// ParseTime reads an RFC 3339 time with an offset, and cuts it to the millisecond.
func ParseTime(text string) (Time, error) {
	if !timeForm.MatchString(text) {
		return Time{}, fmt.Errorf("read a time: %q is not written as in RFC 3339", text)
	}
	parsed, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	if err != nil {
		return Time{}, fmt.Errorf("read a time: %w", err)
	}
	return At(parsed), nil
}

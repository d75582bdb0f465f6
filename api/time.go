package api

import (
	"encoding/json"
	"fmt"
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
	parsed, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return fmt.Errorf("read a time: %w", err)
	}
	*t = At(parsed)
	return nil
}

package db

import (
	"testing"
	"time"
)

func TestNullIsTheEmptyText(t *testing.T) {
	t.Parallel()
	if got := Text(""); got.Valid {
		t.Errorf("the empty text is stored as %+v, want NULL", got)
	}
	if got := Text("a"); got != Some("a") {
		t.Errorf("a is stored as %+v", got)
	}
	if got := Pointer(Null[string]{}); got != nil {
		t.Errorf("NULL is read as %q, want nil", *got)
	}
	if got := Pointer(Some("")); got == nil || *got != "" {
		t.Errorf("an empty text that is there is read as %v", got)
	}
}

// A time is stored to the millisecond, and read in UTC.
func TestNullIsTheZeroTime(t *testing.T) {
	t.Parallel()
	if got := Millis(time.Time{}); got.Valid {
		t.Errorf("the zero time is stored as %+v, want NULL", got)
	}
	if got := Time(Null[int64]{}); !got.IsZero() {
		t.Errorf("NULL is read as %s, want the zero time", got)
	}
	at := time.Date(2026, 11, 20, 11, 0, 0, 123_456_789, time.FixedZone("CET", 3600))
	if got, want := Time(Millis(at)), time.Date(2026, 11, 20, 10, 0, 0, 123_000_000, time.UTC); got != want {
		t.Errorf("%s comes back as %s, want %s", at, got, want)
	}
	if epoch := time.UnixMilli(0); !Millis(epoch).Valid {
		t.Error("1970 is stored as NULL")
	}
}

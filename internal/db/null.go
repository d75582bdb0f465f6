package db

import (
	"database/sql"
	"time"
)

// Null is a value that may be NULL.
type Null[T any] = sql.Null[T]

// Some makes a value that is not NULL.
func Some[T any](v T) Null[T] { return Null[T]{V: v, Valid: true} }

// Pointer returns a pointer to the value of a column; nil for NULL.
func Pointer[T any](v Null[T]) *T {
	if !v.Valid {
		return nil
	}
	return &v.V
}

// Text makes the value of a text column, with NULL for the empty text.
func Text(s string) Null[string] { return Null[string]{V: s, Valid: s != ""} }

// At returns the time in a column that is never NULL. Times are kept as milliseconds
// since 1970.
func At(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// Millis makes the value of a time column, with NULL for the zero time.
func Millis(t time.Time) Null[int64] {
	if t.IsZero() {
		return Null[int64]{}
	}
	return Some(t.UnixMilli())
}

// Time returns the time in a column; the zero time for NULL.
func Time(ms Null[int64]) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return At(ms.V)
}

package db

import (
	"database/sql"
	"time"
)

// Null is a value that may be NULL.
type Null[T any] = sql.Null[T]

// Some is a value that is there.
func Some[T any](v T) Null[T] { return Null[T]{V: v, Valid: true} }

// Pointer gives what a column holds; nil for NULL.
func Pointer[T any](v Null[T]) *T {
	if !v.Valid {
		return nil
	}
	return &v.V
}

// Text makes the value of a column that holds a text, or NULL for an empty one.
func Text(s string) Null[string] { return Null[string]{V: s, Valid: s != ""} }

// Millis makes the value of a column that holds a time in milliseconds since
// 1970, or NULL for the zero time.
func Millis(t time.Time) Null[int64] {
	if t.IsZero() {
		return Null[int64]{}
	}
	return Some(t.UnixMilli())
}

// Time gives the time that a column holds; the zero time for NULL.
func Time(ms Null[int64]) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.V).UTC()
}

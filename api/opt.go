package api

import "encoding/json"

// Opt is a field that may be absent, null or a value, which a JSON merge patch (RFC
// 7396) has to distinguish. Fields of this type need `omitzero`.
type Opt[T any] struct {
	Set   bool // the field was present
	Null  bool // it was null
	Value T
}

// Set makes a field with a value.
func Set[T any](v T) Opt[T] { return Opt[T]{Set: true, Value: v} }

// Clear makes a null field.
func Clear[T any]() Opt[T] { return Opt[T]{Set: true, Null: true} }

// IsZero reports whether the field is absent.
func (o Opt[T]) IsZero() bool { return !o.Set }

// Or returns the value, or other when the field is absent or null.
func (o Opt[T]) Or(other T) T {
	if !o.Set || o.Null {
		return other
	}
	return o.Value
}

// Ptr returns a pointer to the value, or nil when the field is absent or null.
func (o Opt[T]) Ptr() *T {
	if !o.Set || o.Null {
		return nil
	}
	return &o.Value
}

// MarshalJSON writes null or the value.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if o.Null || !o.Set {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value) //nolint:wrapcheck // encoding/json names the field
}

// UnmarshalJSON reads null or a value.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	o.Set = true
	if string(b) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(b, &o.Value) //nolint:wrapcheck // encoding/json names the field
}

// TextOrNull returns a pointer to a text, or nil, which is null in JSON, when it is empty.
func TextOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

package api

import "encoding/json"

// CountOrList is a field that holds either a number of things or a list that names
// them. List is nil for a number.
type CountOrList[T any] struct {
	Count int
	List  []T
}

// MarshalJSON writes the list, or the number.
func (c CountOrList[T]) MarshalJSON() ([]byte, error) {
	if c.List != nil {
		return json.Marshal(c.List) //nolint:wrapcheck // encoding/json names the field
	}
	return json.Marshal(c.Count) //nolint:wrapcheck // as above
}

// UnmarshalJSON reads a number or a list.
func (c *CountOrList[T]) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '[' {
		c.List = []T{}
		return json.Unmarshal(b, &c.List) //nolint:wrapcheck // as above
	}
	return json.Unmarshal(b, &c.Count) //nolint:wrapcheck // as above
}

package rest

import "testing"

// NewPads gives tests outside of the package the world of the tests inside:
// resttest imports rest, so what uses it cannot be inside.
func NewPads(t testing.TB) (e *Edge, door *Door) {
	t.Helper()
	w := newWorld(t, nil)
	return w.Edge, w.door
}

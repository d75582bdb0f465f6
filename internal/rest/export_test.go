package rest

import "testing"

// NewPads gives the fixture of the internal tests to external ones: tests that
// use resttest must be external, because resttest imports rest.
func NewPads(t testing.TB) (e *Edge, group *Group) {
	t.Helper()
	w := newPadServer(t, nil)
	return w.Edge, w.group
}

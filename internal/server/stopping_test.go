package server

import (
	"slices"
	"testing"
)

// A node that stops lets new meetings begin on other nodes, also if it does not wait for a
// balancer. Otherwise a meeting could begin on it and be interrupted at once.
func TestAStoppingNodeDrainsItsMediaServer(t *testing.T) {
	t.Parallel()
	var told []bool
	s := &Server{drainMedia: func(draining bool) { told = append(told, draining) }}
	if err := s.waitForBalancer(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(told, []bool{true}) || !s.stopping.Load() {
		t.Errorf("the media server was told to drain: %v, /readyz says that the node stops: %v; want [true] and true", told, s.stopping.Load())
	}
}

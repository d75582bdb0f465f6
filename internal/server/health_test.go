package server

import (
	"testing"
	"time"
)

// A balancer gives a node one second. So /readyz answers with the last result while its
// checks are slow, as long as that result is recent.
func TestReadyzAnswersWhileItsChecksAreSlow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		age  time.Duration // of the last result
		want string
	}{
		"a recent result": {2 * readyFor, isOK},
		"an old result":   {recent + time.Second, isUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over := make(chan struct{})
			s := &Server{checked: checked{at: time.Now().Add(-c.age), last: health{Status: isOK}, running: over}}
			time.AfterFunc(2*answersWithin, func() {
				s.checked.mu.Lock()
				defer s.checked.mu.Unlock()
				s.checked.last, s.checked.at, s.checked.running = health{Status: isUnavailable}, time.Now(), nil
				close(over)
			})
			if h := s.check(t.Context()); h.Status != c.want {
				t.Errorf("/readyz says %q, want %q", h.Status, c.want)
			}
			s.checked.wait()
		})
	}
}

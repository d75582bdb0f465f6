package db

import "testing"

func TestIn(t *testing.T) {
	t.Parallel()
	if got := In(3, 2); got != "$3, $4" {
		t.Errorf("In(3, 2) = %q", got)
	}
}

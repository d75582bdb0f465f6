package limit

import (
	"strconv"
	"testing"
	"time"
)

func TestWhatANodeRemembersIsBounded(t *testing.T) {
	t.Parallel()
	l, now := newLocal(), time.Unix(1000, 0)
	for i := range mostRefused + 5 {
		l.refuse(strconv.Itoa(i), now.Add(time.Minute), now)
	}
	if n := len(l.refused); n != mostRefused {
		t.Errorf("%d refusals are remembered, want %d", n, mostRefused)
	}
	later := now.Add(time.Minute)
	l.refuse("new", later.Add(time.Minute), later)
	if _, known := l.look("new", later); !known || len(l.refused) != 1 {
		t.Errorf("once the others are over, %d are remembered and the new one is known: %v", len(l.refused), known)
	}
	l.sweep(later.Add(time.Minute))
	done, err := l.take(t.Context(), "new")
	if err != nil {
		t.Fatal(err)
	}
	done()
	if len(l.refused)+len(l.turns) != 0 {
		t.Errorf("%d refusals and %d turns are left, want none", len(l.refused), len(l.turns))
	}
}

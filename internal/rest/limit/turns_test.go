package limit

import (
	"context"
	"testing"
)

func TestASubjectHasTwoTurnsAtATime(t *testing.T) {
	t.Parallel()
	turns := NewTurns(2)
	take := func(subject string) func() {
		t.Helper()
		done, err := turns.Take(t.Context(), subject)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	first, second, other := take("a"), take("a"), take("b")
	got := make(chan func())
	go func() {
		done, err := turns.Take(t.Context(), "a")
		if err != nil {
			t.Error(err)
		}
		got <- done
	}()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := turns.Take(over, "a"); err == nil {
		t.Error("a caller that gave up has the third of two turns")
	}
	if _, ok := turns.TakeNow("a"); ok {
		t.Error("the third of two turns is free")
	}
	if done, ok := turns.TakeNow("b"); !ok {
		t.Error("the second of two turns is taken")
	} else {
		done()
	}
	select {
	case <-got:
		t.Fatal("there are three turns at a time")
	default:
	}
	first()
	third := <-got
	for _, done := range []func(){second, other, third} {
		done()
	}
	if len(turns.of) != 0 {
		t.Errorf("%d subjects are remembered when all are done", len(turns.of))
	}
}

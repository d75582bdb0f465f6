package limit

import (
	"strconv"
	"testing"
	"time"
)

func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := NewMemory(func() time.Time { return time.Unix(1000, 0) })
	q := Quota{Count: 1, Window: time.Hour}
	for i := range mostSubjects + 5 {
		if d, err := m.Take(t.Context(), strconv.Itoa(i), q, 1); err != nil || !d.Allowed {
			t.Fatalf("subject %d: %+v (%v)", i, d, err)
		}
	}
	if n := len(m.subjects); n != mostSubjects {
		t.Errorf("%d subjects are remembered, want %d", n, mostSubjects)
	}
	if d, err := m.Take(t.Context(), strconv.Itoa(mostSubjects+4), q, 1); err != nil || d.Allowed {
		t.Errorf("the newest subject: %+v (%v)", d, err)
	}
}

// Somebody with many addresses causes many subjects, but cannot make a node forget those
// that are beyond a limit, such as an account whose password they guess.
func TestManySubjectsDisplaceNoneThatIsBeyondItsLimit(t *testing.T) {
	t.Parallel()
	m := NewMemory(func() time.Time { return time.Unix(1000, 0) })
	q := Quota{Count: 2, Window: time.Hour}
	take := func(subject string) Decision {
		d, err := m.Take(t.Context(), subject, q, 1)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	const accounts = 50
	for i := range accounts {
		for range q.Count {
			take("account " + strconv.Itoa(i))
		}
	}
	for i := range mostSubjects + mostSubjects/2 {
		take(strconv.Itoa(i))
	}
	for i := range accounts {
		if d := take("account " + strconv.Itoa(i)); d.Allowed {
			t.Fatalf("account %d of %d: %+v, want a refusal", i, accounts, d)
		}
	}
}

func TestRememberedRefusalsAreBounded(t *testing.T) {
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
	done, err := l.turns.Take(t.Context(), "new")
	if err != nil {
		t.Fatal(err)
	}
	done()
	if len(l.refused)+len(l.turns.of) != 0 {
		t.Errorf("%d refusals and %d turns are left, want none", len(l.refused), len(l.turns.of))
	}
}

package identity

import (
	"fmt"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

var noon = time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)

func rowOf(prefix string) keyRow {
	return keyRow{APIKey: api.APIKey{Prefix: prefix}, manageKeys: true}
}

// A key is remembered for half a second.
func TestAKeyIsRememberedForAMoment(t *testing.T) {
	t.Parallel()
	var r keyring
	_, _, changes := r.find("a", noon)
	r.keep(rowOf("a"), noon, changes)
	for _, c := range []struct {
		prefix string
		after  time.Duration
		want   bool
	}{
		{"a", 0, true},
		{"a", keyFresh - 1, true},
		{"a", keyFresh, false},
		{"a", -1, false}, // the clock was set back
		{"b", 0, false},
	} {
		if k, found, _ := r.find(c.prefix, noon.Add(c.after)); found != c.want || found && !k.manageKeys {
			t.Errorf("key %s %v after it was read: found %v, want %v", c.prefix, c.after, found, c.want)
		}
	}
}

// A key that was read before a change is not remembered after it.
func TestAKeyReadBeforeAChangeIsNotRemembered(t *testing.T) {
	t.Parallel()
	var r keyring
	_, _, changes := r.find("a", noon)
	r.keep(rowOf("a"), noon, changes)
	_, _, changes = r.find("b", noon)
	r.forget()
	r.keep(rowOf("b"), noon, changes)
	for _, prefix := range []string{"a", "b"} {
		if _, found, _ := r.find(prefix, noon); found {
			t.Errorf("key %s is still remembered", prefix)
		}
	}
}

// The ring has a limit.
func TestKeysAreRememberedUpToALimit(t *testing.T) {
	t.Parallel()
	var r keyring
	for i := range keysKept + 1 {
		r.keep(rowOf(fmt.Sprint(i)), noon, 0)
	}
	if n := len(r.keys); n != 1 {
		t.Errorf("%d keys are remembered after one more than the limit, want 1", n)
	}
}

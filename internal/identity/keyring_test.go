package identity

import (
	"fmt"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
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

// The verdict is not remembered: a remembered key is refused with another secret, and
// once it has expired. The service has no database here, so it reads nothing.
func TestARememberedKeyIsChecked(t *testing.T) {
	t.Parallel()
	key := newKey(EnvironmentLive)
	otherText := keyPrefix(key) + id.Random(secretLen, base62)
	row := rowOf(keyPrefix(key))
	row.hash, row.LastUsedAt, row.ExpiresAt = id.Hash(key), &api.Time{Time: noon}, &api.Time{Time: noon.Add(keyFresh / 2)}
	now := noon
	s := &Service{Now: func() time.Time { return now }}
	s.keys.keep(row, noon, 0)
	for _, c := range []struct {
		name, bearer string
		after        time.Duration
		want         string
	}{
		{"the key itself", key, 0, ""},
		{"another secret", otherText + checksum(otherText), 0, api.CodeAPIKeyInvalid},
		{"after it expired", key, keyFresh / 2, api.CodeAPIKeyExpired},
	} {
		now = noon.Add(c.after)
		_, _, err := s.Authenticate(t.Context(), c.bearer)
		refusal, _ := fault.As(err)
		if c.want == "" && err != nil || c.want != "" && (refusal == nil || refusal.Code != c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

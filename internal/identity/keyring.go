package identity

import (
	"sync"
	"time"
)

// keyFresh is how long a node trusts what it read about a key. A change on
// another node, or by a command, takes effect here after this time; the
// documented limit is a second (docs/reference/authentication.md).
const keyFresh = 500 * time.Millisecond

// keysKept is how many keys a node remembers. More keys than that in half a
// second are read from the database, as if nothing were remembered.
const keysKept = 10_000

// keyring remembers the rows of keys that were just used, and their creators'
// rights, so that a customer's server that sends many requests does not cost a
// query for each. It holds what was read, not the verdict: secret and expiry are
// checked on every request. Keys that do not exist are not remembered. The zero
// value is ready.
type keyring struct {
	mu      sync.Mutex
	changes int // how often forget was called
	keys    map[string]readKey
}

// readKey is what the database said about a key at a moment.
type readKey struct {
	keyRow

	at time.Time
}

// find returns a key that was read less than keyFresh ago. Without one it returns
// the state of the ring, to hand to keep after reading.
func (r *keyring) find(prefix string, now time.Time) (k keyRow, found bool, changes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, found := r.keys[prefix]
	// A clock that was set back must not keep a key alive.
	if age := now.Sub(known.at); found && age >= 0 && age < keyFresh {
		return known.keyRow, true, r.changes
	}
	return keyRow{}, false, r.changes
}

// keep remembers a key that was read at a moment, unless keys changed since find
// returned changes: it may have been read before that.
func (r *keyring) keep(k keyRow, at time.Time, changes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.changes != changes {
		return
	}
	if r.keys == nil || len(r.keys) >= keysKept {
		r.keys = map[string]readKey{}
	}
	r.keys[k.Prefix] = readKey{keyRow: k, at: at}
}

// forget forgets every key, because one of them, or the rights of some creator,
// changed on this node.
func (r *keyring) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes++
	r.keys = nil
}

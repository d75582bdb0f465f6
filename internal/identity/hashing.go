package identity

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// hashesWaiting is how many passwords may wait to be hashed for each processor.
// A hash takes about 40 ms, so the wait is not much longer than a second.
const hashesWaiting = 32

// hashing limits how many passwords are hashed at once to the number of
// processors. A hash takes 19 MiB and only computes, so more at once would use
// memory without being faster.
type hashing struct {
	once  sync.Once
	turns chan struct{} // holds one for each password that is being hashed
	crowd chan struct{} // holds one for each password that is being hashed or waits for its turn
}

func (h *hashing) prepare() {
	h.once.Do(func() {
		processors := runtime.GOMAXPROCS(0)
		h.turns = make(chan struct{}, processors)
		h.crowd = make(chan struct{}, processors*(1+hashesWaiting))
	})
}

// do calls hash when it is its turn. It refuses when too many wait already.
func (h *hashing) do(ctx context.Context, hash func() error) error {
	h.prepare()
	select {
	case h.crowd <- struct{}{}:
		defer func() { <-h.crowd }()
	default:
		return fault.Down(api.CodeServiceUnavailable, "Too many people sign in at this moment. Try again in a few seconds.", 3*time.Second, nil)
	}
	select {
	case h.turns <- struct{}{}:
		defer func() { <-h.turns }()
	case <-ctx.Done():
		return fmt.Errorf("wait to hash a password: %w", ctx.Err())
	}
	return hash()
}

// hash makes the text under which a password is stored.
func (h *hashing) hash(ctx context.Context, password string) (hash string, err error) {
	err = h.do(ctx, func() error {
		hash, err = hashPassword(password)
		return err
	})
	return hash, err
}

// matches compares a password with a stored hash. Without a stored password,
// hash is "" and the comparison fails after the same time.
func (h *hashing) matches(ctx context.Context, password, hash string) (match bool, err error) {
	err = h.do(ctx, func() error {
		match, err = passwordMatches(password, hash)
		return err
	})
	return match, err
}

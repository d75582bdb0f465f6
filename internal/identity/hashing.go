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

// hashesWaiting is how many passwords wait to be hashed for each processor: a
// hash takes one some 40 ms, so nobody waits for much longer than a second.
const hashesWaiting = 32

// hashing lets only so many passwords be hashed at a time as there are
// processors. A hash takes 19 MiB and nothing but computing, so more at a time
// would take memory and be no faster.
type hashing struct {
	once  sync.Once
	turns chan struct{} // holds one for each password that is being hashed
	crowd chan struct{} // and one for each that is, or waits for its turn
}

func (h *hashing) prepare() {
	h.once.Do(func() {
		processors := runtime.GOMAXPROCS(0)
		h.turns = make(chan struct{}, processors)
		h.crowd = make(chan struct{}, processors*(1+hashesWaiting))
	})
}

// do hashes when it is its turn. When too many wait already it refuses.
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

// hash makes what is stored of a password.
func (h *hashing) hash(ctx context.Context, password string) (hash string, err error) {
	err = h.do(ctx, func() error {
		hash, err = hashPassword(password)
		return err
	})
	return hash, err
}

// matches compares a password with what is stored; hash is empty where there is
// none, which takes as long.
func (h *hashing) matches(ctx context.Context, password, hash string) (match bool, err error) {
	err = h.do(ctx, func() error {
		match, err = passwordMatches(password, hash)
		return err
	})
	return match, err
}

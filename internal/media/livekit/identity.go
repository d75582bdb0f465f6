package livekit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/livekit/protocol/logger"
	"github.com/redis/go-redis/v9"
)

// identityKey names the value in Redis that tells one cluster from another. It is not
// the address of Redis, because one Redis has many: names and numbers, with and without
// TLS, and those of its sentinels.
const identityKey = "conclave_media_cluster"

const (
	// WriteBack is how long the nodes that run have to write back the identity of a
	// Redis that came back empty: some of their comparisons with it.
	WriteBack = 4 * compareEvery
	// lookEvery is how often a node that starts looks meanwhile.
	lookEvery = 100 * time.Millisecond
)

// Identity returns the identity of the cluster to which a Redis belongs. If there is
// none, Identity makes one, but only after it has waited: a Redis that came back empty
// gets its old identity from the nodes that run. Where there are none, wait is 0.
func (r Redis) Identity(ctx context.Context, wait time.Duration) (string, error) {
	client := r.Client(redisTimeout, nil)
	defer func() { _ = client.Close() }()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for waited := time.After(wait); ; {
		id, err := client.Get(ctx, identityKey).Result()
		switch {
		case err == nil:
			return id, nil
		case !errors.Is(err, redis.Nil):
			return "", fmt.Errorf("ask Redis for the cluster's identity: %w", err)
		}
		select {
		case <-look.C:
		case <-waited:
			return firstIdentity(ctx, client, rand.Text())
		case <-ctx.Done():
			return "", fmt.Errorf("wait for the cluster's identity: %w", context.Cause(ctx))
		}
	}
}

// firstIdentity writes an identity where there is none, and returns the one that is
// there then. When several nodes do this at once, the first one wins.
func firstIdentity(ctx context.Context, client *redis.Client, id string) (string, error) {
	if err := client.SetNX(ctx, identityKey, id, 0).Err(); err != nil {
		return "", fmt.Errorf("write the cluster's identity: %w", err)
	}
	id, err := client.Get(ctx, identityKey).Result()
	if err != nil {
		return "", fmt.Errorf("read the cluster's identity: %w", err)
	}
	return id, nil
}

// identify writes the cluster's identity back when Redis has lost it. All nodes know the
// same one, so it does not matter which of them is first. If Redis has another one by
// now, because a node started while none of the others reached Redis, this node takes
// that over. The name does not matter as long as all nodes use this Redis, so a
// running node never stops because the name changed.
func (c *cluster) identify(ctx context.Context, l ledger) error {
	if c.identity == "" || l.identity == c.identity {
		return nil
	}
	id := l.identity
	if id == "" {
		var err error
		if id, err = firstIdentity(ctx, c.redis, c.identity); err != nil {
			return err
		}
	}
	if id != c.identity {
		logger.Warnw("Redis has another identity now, which this node takes over", nil, "before", c.identity, "now", id)
		c.identity = id
		c.tell.identity(id)
	}
	return nil
}

// readIdentity is the identity that Redis has; "" if it has none.
func (c *cluster) readIdentity(ctx context.Context) (string, error) {
	id, err := c.redis.Get(ctx, identityKey).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return "", fmt.Errorf("read the cluster's identity: %w", err)
	}
	return id, nil
}

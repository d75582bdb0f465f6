package livekit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/routing/selector"
	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
)

// LiveKit gives a room of a dead node to another node when somebody enters it. A room
// that nobody enters stays in Redis, and its node does not answer who is there. So the
// others report such rooms, so that their people connect again, and delete those to
// which nobody came back.

const (
	// deadAfter is how long a node is seen as dead before its people are told to
	// reconnect.
	deadAfter = time.Second
	// forgetLostAfter is how long a node is seen as dead before its rooms are deleted.
	// People who connect again are back within ten seconds.
	forgetLostAfter = 15 * time.Second
)

// handleLost reports the rooms of nodes that are dead, and deletes those of nodes that
// have been dead for long.
func (c *cluster) handleLost(ctx context.Context, l ledger, now time.Time) error {
	if now.Sub(c.answering) < settleTime {
		clear(c.deadSince)
		return nil
	}
	var lost []string
	looked := map[livekit.NodeID]bool{}
	for name, owner := range l.rooms {
		id := livekit.NodeID(owner)
		if node := l.nodes[id]; id == c.local.NodeID() || node != nil && selector.IsAvailable(node) {
			continue
		}
		looked[id] = true
		if _, known := c.deadSince[id]; !known {
			c.deadSince[id] = now
		}
		switch since := now.Sub(c.deadSince[id]); {
		case since >= forgetLostAfter:
			if err := c.forgetLost(ctx, name, owner); err != nil {
				return err
			}
		case since >= deadAfter:
			lost = append(lost, name)
		}
	}
	for id := range c.deadSince {
		if !looked[id] {
			delete(c.deadSince, id)
		}
	}
	if len(lost) > 0 {
		slices.Sort(lost)
		c.tell.lost(lost)
	}
	return nil
}

// forget deletes what Redis knows of a room, unless another node has it by now.
const forget = `
	if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
	redis.call('HDEL', KEYS[1], ARGV[1])
	redis.call('HDEL', KEYS[2], ARGV[1])
	redis.call('HDEL', KEYS[3], ARGV[1])
	redis.call('DEL', KEYS[4])
	return 1`

// forgetLost deletes a room of a dead node.
func (c *cluster) forgetLost(ctx context.Context, room, owner string) error {
	keys := []string{routing.NodeRoomKey, service.RoomsKey, service.RoomInternalKey, service.RoomParticipantsPrefix + room}
	deleted, err := c.redis.Eval(ctx, forget, keys, room, owner).Int()
	if err != nil {
		return fmt.Errorf("delete room %s of a dead node: %w", room, err)
	}
	if deleted > 0 {
		logger.Warnw("nobody came back to a room of a dead node; it is deleted", nil, "room", room, "node", owner)
	}
	return nil
}

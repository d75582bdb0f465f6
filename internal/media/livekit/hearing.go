package livekit

import (
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
)

// What nodes tell each other comes through Redis, over a connection on which LiveKit
// only listens. When the network loses that connection silently, as a firewall does
// that has dropped its state, LiveKit hears nothing any more: nobody can come into this
// node's rooms, and TCP notices after a quarter of an hour at the earliest.
//
// Every two seconds LiveKit sends a message to itself, and renews its entry in Redis
// when that arrives. So an entry that LiveKit does not renew, while Redis answers the
// questions of the comparison, says that LiveKit hears nothing.

// mostUnheard is how often in a row this node's entry was renewed here and not by
// LiveKit, before LiveKit's connections are ended. That is after about six seconds.
const mostUnheard = 3

// hearing is what is known about whether LiveKit hears its own messages.
type hearing struct {
	listening []int // the ports at which others connect
	written   int64 // the time in the entry that was written here last
	unheard   int   // how often LiveKit had not renewed it since
}

// renewed records the old entry of this node, and the time in the new one.
func (h *hearing) renewed(old *livekit.Node, updated int64) {
	if old != nil && old.Stats.GetUpdatedAt() == h.written {
		h.unheard++
	} else {
		h.unheard = 1
	}
	h.written = updated
	if h.unheard < mostUnheard {
		return
	}
	h.unheard = 0
	ended, err := hangUp(h.listening)
	logger.Errorw("LiveKit hears nothing from Redis, which answers; its connections are ended, so that it connects again", err, "connections", ended)
}

package livekit

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/routing/selector"
	"github.com/livekit/livekit-server/pkg/rtc"
	"github.com/livekit/livekit-server/pkg/rtc/types"
	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
	"github.com/redis/go-redis/v9"
	"google.golang.org/protobuf/proto"
)

// The nodes of a cluster agree in Redis which node holds a room, and nothing in
// LiveKit checks later that this is still so. When Redis has lost what it knew,
// a node keeps its rooms in memory, where no other node finds them: the next
// person gets a second room of the same name on another node, or is refused.
// So each node compares the rooms that it holds with Redis again and again
// (comparison), and writes back or closes what does not agree.

const (
	// compareEvery is the interval of the comparison.
	compareEvery = 500 * time.Millisecond
	// redisTimeout bounds each step of one question to Redis.
	redisTimeout = time.Second
	// staleAfter is the age at which a node's entry in Redis is renewed here.
	// LiveKit itself renews it every two seconds, by way of a message through
	// Redis, and counts a node as dead when its entry is five seconds old.
	staleAfter = 3 * time.Second
	// settleTime is how long Redis has to answer again before other nodes are
	// taken for dead: after an interruption all entries are old for a moment.
	settleTime = 3 * time.Second
	// settledAfter is how many comparisons have to succeed before rooms can be made
	// again after Redis was gone, or has lost what it knew. Between the first and the
	// second every other node compares, too, and writes back the rooms that it holds.
	settledAfter = 2
)

// cluster is one node's comparison with Redis.
type cluster struct {
	at    Redis
	redis *redis.Client
	store *service.RedisStore
	local routing.LocalNode
	rooms *service.RoomManager
	held  *roster
	own   netip.AddrPort // the media address of this node
	tell  news

	told    []netip.AddrPort // the media addresses that were reported last
	hearing hearing

	identity string // of the cluster; "": nobody needs it

	answering time.Time                    // since when Redis has answered every question
	agreed    int                          // comparisons that succeeded since Redis last was gone or empty
	unsettled bool                         // as was told last
	last      time.Time                    // the last comparison
	deadSince map[livekit.NodeID]time.Time // since when a node looks dead
	ahead     map[livekit.NodeID]sighting  // entries whose time is in the future
}

// sighting is the time in an entry, and since when the entry has had it.
type sighting struct {
	updated int64
	since   time.Time
}

// news is what a node learns from Redis and reports.
type news struct {
	lost  func(rooms []string)             // the rooms of nodes that are dead
	nodes func(addresses []netip.AddrPort) // the media addresses of all nodes, when they change

	identity func(id string) // another identity of the cluster, which Redis has by now
	settled  func(bool)      // whether Redis knows the rooms of all nodes, when that changes
}

// ledger is what Redis says about the cluster.
type ledger struct {
	nodes map[livekit.NodeID]*livekit.Node
	rooms map[string]string // the node of each room

	addresses map[string]string // the media address of each node
	identity  string            // of the cluster
}

func newCluster(c EmbedConfig, local routing.LocalNode, rooms *service.RoomManager, held *roster, tell news) *cluster {
	made := &cluster{
		at: c.Redis, local: local, rooms: rooms, held: held, tell: tell,
		own: c.address(), hearing: hearing{listening: []int{c.HTTPPort, c.TCPPort}},
		identity: c.ClusterIdentity, deadSince: map[livekit.NodeID]time.Time{}, ahead: map[livekit.NodeID]sighting{},
		agreed: settledAfter,
	}
	made.connect()
	return made
}

// connect makes a new client of Redis. After some failures an old one waits for up to a
// second before it tries again, and other nodes would wait for this one.
func (c *cluster) connect() {
	if c.redis != nil {
		_ = c.redis.Close()
	}
	c.redis = c.at.Client(redisTimeout, nil)
	c.store = service.NewRedisStore(c.redis)
}

// keep compares until ctx ends.
func (c *cluster) keep(ctx context.Context) {
	defer func() { _ = c.redis.Close() }()
	tick := time.NewTicker(compareEvery)
	defer tick.Stop()
	for failing := false; ; {
		var now time.Time
		select {
		case <-ctx.Done():
			return
		case now = <-tick.C:
		}
		err := c.compare(ctx, now)
		c.settle(err == nil)
		if err != nil {
			c.connect()
		}
		if failed := err != nil && ctx.Err() == nil; failed != failing {
			failing = failed
			if failed {
				logger.Errorw("the rooms cannot be compared with Redis; trying again", err)
			} else {
				logger.Warnw("Redis answers again", nil)
			}
		}
	}
}

// settle counts a comparison.
func (c *cluster) settle(succeeded bool) {
	if c.agreed++; !succeeded {
		c.agreed = 0
	}
	if unsettled := c.agreed < settledAfter; unsettled != c.unsettled {
		c.unsettled = unsettled
		c.tell.settled(!unsettled)
	}
}

// compare makes Redis and this node agree once.
func (c *cluster) compare(ctx context.Context, now time.Time) error {
	l, err := c.read(ctx)
	if err != nil {
		c.answering = time.Time{}
		return err
	}
	// After this process stood still, the age of the others' entries proves nothing.
	if c.answering.IsZero() || now.Sub(c.last) > settleTime {
		c.answering = now
	}
	c.last = now
	if l.nodes[c.local.NodeID()] == nil {
		c.agreed = 0 // Redis has lost what it knew
	}
	if err := c.register(ctx, l, now); err != nil {
		return err
	}
	if err := c.forgetAhead(ctx, l, now); err != nil {
		return err
	}
	if err := c.introduce(ctx, l); err != nil {
		return err
	}
	if err := c.identify(ctx, l); err != nil {
		return err
	}
	if err := c.tellNodes(ctx, l); err != nil {
		return err
	}
	for room := range c.held.open(ctx, c.rooms) {
		if err := c.claim(ctx, l, room); err != nil {
			return err
		}
	}
	return c.handleLost(ctx, l, now)
}

func (c *cluster) read(ctx context.Context) (ledger, error) {
	l := ledger{nodes: map[livekit.NodeID]*livekit.Node{}}
	nodes, err := c.redis.HGetAll(ctx, routing.NodesKey).Result()
	if err != nil {
		return l, fmt.Errorf("list the nodes: %w", err)
	}
	for id, text := range nodes {
		node := &livekit.Node{}
		if err := proto.Unmarshal([]byte(text), node); err != nil {
			return l, fmt.Errorf("read node %s: %w", id, err)
		}
		l.nodes[livekit.NodeID(id)] = node
	}
	if l.rooms, err = c.redis.HGetAll(ctx, routing.NodeRoomKey).Result(); err != nil {
		return l, fmt.Errorf("list the rooms' nodes: %w", err)
	}
	if l.addresses, err = c.redis.HGetAll(ctx, addressesKey).Result(); err != nil {
		return l, fmt.Errorf("list the nodes' media addresses: %w", err)
	}
	l.identity, err = c.readIdentity(ctx)
	return l, err
}

// register renews this node's entry when it is missing or old.
func (c *cluster) register(ctx context.Context, l ledger, now time.Time) error {
	own := l.nodes[c.local.NodeID()]
	if own != nil && now.Sub(time.Unix(own.Stats.GetUpdatedAt(), 0)) < staleAfter {
		return nil
	}
	c.local.UpdateNodeStats()
	node := c.local.Clone()
	entry, err := proto.Marshal(node)
	if err != nil {
		return fmt.Errorf("describe this node: %w", err)
	}
	if err := c.redis.HSet(ctx, routing.NodesKey, string(c.local.NodeID()), entry).Err(); err != nil {
		return fmt.Errorf("register this node: %w", err)
	}
	c.hearing.renewed(own, node.Stats.GetUpdatedAt())
	return nil
}

// forgetAhead deletes the entries of nodes that ended while their clock was ahead.
// Until the time in such an entry has come, LiveKit would count the node as alive and
// send people there. A node that is alive renews its entry, whatever its clock says.
func (c *cluster) forgetAhead(ctx context.Context, l ledger, now time.Time) error {
	for id := range c.ahead {
		if l.nodes[id] == nil {
			delete(c.ahead, id)
		}
	}
	for id, node := range l.nodes {
		updated := node.Stats.GetUpdatedAt()
		if id == c.local.NodeID() || updated <= now.Unix()+1 { // within a second, clocks agree
			delete(c.ahead, id)
			continue
		}
		seen, known := c.ahead[id]
		switch {
		case !known || seen.updated != updated || now.Sub(c.answering) < settleTime:
			c.ahead[id] = sighting{updated, now}
		case now.Sub(seen.since) >= selector.AvailableSeconds*time.Second:
			logger.Errorw("a node ended while its clock was ahead; its entry is deleted", nil, "node", id, "ahead", time.Duration(updated-now.Unix())*time.Second)
			if err := c.redis.HDel(ctx, routing.NodesKey, string(id)).Err(); err != nil {
				return fmt.Errorf("forget a node whose clock was ahead: %w", err)
			}
			delete(l.nodes, id)
		}
	}
	return nil
}

// claim makes Redis and this node agree about a room that this node holds. The
// room was looked up after Redis was read, so a room that is being closed is not
// written back.
func (c *cluster) claim(ctx context.Context, l ledger, room *rtc.Room) error {
	name, own := string(room.Name()), string(c.local.NodeID())
	owner := l.rooms[name]
	if owner != own {
		// The first node that claims a room has it.
		if err := c.redis.HSetNX(ctx, routing.NodeRoomKey, name, own).Err(); err != nil {
			return fmt.Errorf("claim room %s: %w", name, err)
		}
		var err error
		if owner, err = c.redis.HGet(ctx, routing.NodeRoomKey, name).Result(); err != nil {
			return fmt.Errorf("ask for the node of room %s: %w", name, err)
		}
	}
	if owner != own {
		return c.leave(ctx, room, owner)
	}
	return c.describe(ctx, room)
}

// describe writes a room of this node into Redis if it is missing there, or if
// another room of its name is described.
func (c *cluster) describe(ctx context.Context, room *rtc.Room) error {
	known, _, err := c.store.LoadRoom(ctx, room.Name(), false)
	if err == nil && known.Sid == string(room.ID()) || room.IsClosed() {
		return nil
	}
	logger.Errorw("Redis had lost a room that this node holds; it is written back", nil, "room", room.Name())
	if err := c.store.StoreRoom(ctx, room.ToProto(), room.Internal()); err != nil {
		return fmt.Errorf("write back room %s: %w", room.Name(), err)
	}
	for _, p := range room.GetParticipants() {
		if err := c.store.StoreParticipant(ctx, room.Name(), p.ToProto()); err != nil {
			return fmt.Errorf("write back a participant of room %s: %w", room.Name(), err)
		}
	}
	return nil
}

// leave closes a room that another node holds too. Its people are told to
// connect again, and then meet the others.
func (c *cluster) leave(ctx context.Context, room *rtc.Room, owner string) error {
	logger.Errorw("another node holds this room too; the people here connect to it", nil, "room", room.Name(), "node", owner)
	for _, p := range room.GetParticipants() {
		p.IssueFullReconnect(types.ParticipantCloseReasonMigrationRequested)
	}
	room.Close(types.ParticipantCloseReasonRoomClosed)
	c.held.forget(room.Name())
	// LiveKit has deleted all entries of that name, and somebody who connected
	// at this moment may have been sent here again. The other node, where people
	// are already, has the room in any case. It writes the other entries back.
	if err := c.redis.HSet(ctx, routing.NodeRoomKey, string(room.Name()), owner).Err(); err != nil {
		return fmt.Errorf("give room %s back to its node: %w", room.Name(), err)
	}
	return nil
}

package livekit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/livekit/livekit-server/pkg/config"
	"github.com/livekit/protocol/livekit"
)

// TURN says where the service itself relays media, for networks that let nothing
// else through. LiveKit's own TURN server stays off: it lets a device reach every
// port of this machine.
type TURN struct {
	TLSHost string // over TLS: the host of the service's own address; empty: off
	TLSPort int
	UDPPort int // at NodeIP; 0: off
}

// turnTTL is how long credentials for TURN are valid. A device gets new ones only
// when it connects (again), and every few minutes it needs them for its allocation
// (RFC 8656, section 7). So a shorter time would interrupt long meetings. An
// allocation without media ends long before.
const turnTTL = 12 * time.Hour

// servers translates t to LiveKit's words.
func (t TURN) servers(nodeIP, secret string) []config.TURNServer {
	named := func(host string, port int, protocol string) config.TURNServer {
		if strings.Contains(host, ":") {
			host = "[" + host + "]" // LiveKit writes the host of an address as it is
		}
		return config.TURNServer{Host: host, Port: port, Protocol: protocol, Secret: secret, TTL: int(turnTTL / time.Second)}
	}
	var out []config.TURNServer
	if t.UDPPort != 0 {
		out = append(out, named(nodeIP, t.UDPPort, "udp"))
	}
	if t.TLSHost != "" {
		out = append(out, named(t.TLSHost, t.TLSPort, "tls"))
	}
	return out
}

// stunServers are the servers that devices ask for their own address. The media
// server has a known address, so a device needs none; but with an empty list, and
// without TURN, LiveKit sends every device to the public servers of other companies.
// So it names STUN's own port at this node (RFC 8489, section 18.6), where nothing
// has to answer. Firefox refuses to connect when the list names a port that
// browsers block, such as 9. The port for media must not be named: Chromium takes all
// that comes from the address of a STUN server for answers of that server, and
// would never send media straight to it.
func (c EmbedConfig) stunServers() []string {
	if len(c.TURN.servers(c.NodeIP, "")) > 0 {
		return nil
	}
	const stunPort, otherPort = 3478, 3479
	port := stunPort
	if c.UDPPort == port {
		port = otherPort
	}
	return []string{net.JoinHostPort(c.NodeIP, strconv.Itoa(port))}
}

// turnSecret derives the secret that signs credentials for TURN. It is the same on
// all nodes of a cluster.
func turnSecret(apiSecret string) string {
	mac := hmac.New(sha256.New, []byte(apiSecret))
	mac.Write([]byte("turn"))
	return hex.EncodeToString(mac.Sum(nil))
}

// TURNSecret is the secret that signs credentials for TURN.
func (e *Embedded) TURNSecret() []byte { return []byte(turnSecret(e.order.Config.APISecret)) }

// Address is where media of this node is received: the address that devices know,
// and the one at which this machine reaches it.
func (e *Embedded) Address() (public, local netip.AddrPort) {
	c := e.order.Config
	public = c.address()
	if c.local.IsValid() {
		return public, netip.AddrPortFrom(c.local, public.Port())
	}
	return public, public
}

// address is the media address that devices get.
func (c EmbedConfig) address() netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr(c.NodeIP), uint16(c.UDPPort)) // completed has parsed it
}

// addressesKey names the hash in Redis in which each node of a cluster writes its
// media address, under its id. LiveKit's own entries have no port.
const addressesKey = "conclave_media_addresses"

// introduce writes this node's media address into Redis if it is missing there.
func (c *cluster) introduce(ctx context.Context, l ledger) error {
	own := c.own.String()
	if l.addresses[string(c.local.NodeID())] == own {
		return nil
	}
	if err := c.redis.HSet(ctx, addressesKey, string(c.local.NodeID()), own).Err(); err != nil {
		return fmt.Errorf("write this node's media address: %w", err)
	}
	return nil
}

// tellNodes reports the media addresses of the cluster's nodes when they have
// changed, and forgets those of nodes that have left.
func (c *cluster) tellNodes(ctx context.Context, l ledger) error {
	var nodes []netip.AddrPort
	for id, text := range l.addresses {
		if _, known := l.nodes[livekit.NodeID(id)]; !known && id != string(c.local.NodeID()) {
			if err := c.redis.HDel(ctx, addressesKey, id).Err(); err != nil {
				return fmt.Errorf("forget a node's media address: %w", err)
			}
			continue
		}
		address, err := netip.ParseAddrPort(text)
		if err != nil {
			return fmt.Errorf("read the media address of node %s: %w", id, err)
		}
		nodes = append(nodes, address)
	}
	slices.SortFunc(nodes, netip.AddrPort.Compare)
	if !slices.Equal(nodes, c.told) {
		c.told = nodes
		c.tell.nodes(nodes)
	}
	return nil
}

package livekit

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
)

// receiveAddresses says on which addresses, as CIDRs, media for a node address is
// received, and which of them stands for it.
//
// LiveKit opens a socket on every local address and advertises the node address
// for each of them. Of these equal candidates only the first survives, and
// packets that arrive at any other socket are silently dropped. Loopback comes
// first, so with loopback among them nothing else would arrive at all. So there
// is one socket of the node address's IP version: on that address itself or, if
// this machine does not have it (a router translates it), on the address from
// which this machine sends. Addresses of the other version are advertised
// unchanged, which does no harm.
func receiveAddresses(ctx context.Context, node netip.Addr) (local netip.Addr, all []string, err error) {
	if node.IsLoopback() {
		return node, []string{prefix(node)}, nil
	}
	local = node
	own, err := net.InterfaceAddrs()
	if err != nil {
		return local, nil, fmt.Errorf("list own addresses: %w", err)
	}
	isNode := func(a net.Addr) bool {
		p, err := netip.ParsePrefix(a.String())
		return err == nil && p.Addr().Unmap() == node
	}
	if !slices.ContainsFunc(own, isNode) {
		if local = outboundIP(ctx); local.Is4() != node.Is4() {
			return local, nil, fmt.Errorf("node address %s is not one of this machine's, and has not the IP version of %s, from which it sends; configure where media is received", node, local)
		}
	}
	other := "::/0"
	if node.Is6() {
		other = "0.0.0.0/0"
	}
	return local, []string{prefix(local), other}, nil
}

func prefix(a netip.Addr) string { return netip.PrefixFrom(a, a.BitLen()).String() }

// outboundIP is the address of the interface that leads out, or loopback if
// none does. Connecting a UDP socket only asks the routing table; no packet is
// sent. The addresses it connects to are reserved for documentation (RFC 5737,
// RFC 3849).
func outboundIP(ctx context.Context) netip.Addr {
	for _, somewhere := range []string{"203.0.113.1:9", "[2001:db8::1]:9"} {
		conn, err := (&net.Dialer{}).DialContext(ctx, "udp", somewhere)
		if err != nil {
			continue
		}
		addr := conn.LocalAddr()
		_ = conn.Close()
		if udp, ok := addr.(*net.UDPAddr); ok {
			return udp.AddrPort().Addr().Unmap()
		}
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1})
}

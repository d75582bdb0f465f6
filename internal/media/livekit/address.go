package livekit

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
)

// takenAt says where media for a node address is taken, as CIDRs.
//
// LiveKit opens a socket on every local address and advertises the node
// address for each of them. Of those equal candidates only the first survives,
// and packets that arrive at any other socket are dropped without a word. With
// loopback among them, which comes first, that is all there are. So there is
// one socket of the node address's version: on that address itself, or, when
// it is not this machine's own (a router in front translates), on the address
// this machine sends from. Addresses of the other version are advertised as
// they are, and do no harm.
func takenAt(ctx context.Context, node netip.Addr) ([]string, error) {
	if node.IsLoopback() {
		return []string{prefix(node)}, nil
	}
	local := node
	own, err := net.InterfaceAddrs()
	if err != nil {
		return nil, fmt.Errorf("list own addresses: %w", err)
	}
	isNode := func(a net.Addr) bool {
		p, err := netip.ParsePrefix(a.String())
		return err == nil && p.Addr().Unmap() == node
	}
	if !slices.ContainsFunc(own, isNode) {
		if local = outboundIP(ctx); local.Is4() != node.Is4() {
			return nil, fmt.Errorf("node address %s is not one of this machine's, and has not the version of %s, which it sends from; say where media is taken", node, local)
		}
	}
	other := "::/0"
	if node.Is6() {
		other = "0.0.0.0/0"
	}
	return []string{prefix(local), other}, nil
}

func prefix(a netip.Addr) string { return netip.PrefixFrom(a, a.BitLen()).String() }

// outboundIP is the address of the interface that leads out, or loopback where
// none does. Connecting a UDP socket only asks the routing table; no packet is
// sent. The addresses asked for are for documentation (RFC 5737, RFC 3849).
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

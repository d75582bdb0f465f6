package rest

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

// siteShare is how many times as much as one /64 network a whole /48 may do.
// A site gets a /48 or a part of one (RFC 6177), and the 65,536 networks of
// /64 in it are its own to choose from.
const siteShare = 16

// nat64 is the well-known prefix (RFC 6052) under which a translator shows an
// IPv4 address as an IPv6 one.
var nat64 = netip.MustParsePrefix("64:ff9b::/96") //nolint:gochecknoglobals // a constant

// counter is one of the counts in which a request has to find room.
type counter struct {
	limit.Quota

	subject string
	of      string // what stands behind Class.What in the sentence of a refusal
}

// countersOf are the counts of an address in a class: of IPv4 the address; of
// IPv6 its /64, because what follows is the device's to choose, and its /48.
func countersOf(class Class, address netip.Addr) []counter {
	address = translated(address)
	near := counter{Quota: class.Quota, subject: address.String(), of: " from one address"}
	if !address.Is6() {
		return []counter{near}
	}
	near.subject = masked(address, 64)
	site := counter{Quota: class.Quota, subject: masked(address, 48), of: " from one network"}
	site.Count *= siteShare
	return []counter{near, site}
}

// translated gives the IPv4 address that an IPv6 address stands for, where it
// stands for one, and any other address without its zone.
func translated(address netip.Addr) netip.Addr {
	address = address.Unmap().WithZone("")
	if !nat64.Contains(address) {
		return address
	}
	bytes := address.As16()
	return netip.AddrFrom4([4]byte(bytes[12:]))
}

func masked(address netip.Addr, bits int) string {
	prefix, err := address.Prefix(bits)
	if err != nil {
		return address.String()
	}
	return prefix.String()
}

// Site names the network from which a handler's request came, where the handler
// bounds what one network holds: an IPv4 address, or the /48 of an IPv6 one,
// which is what one site has. It is "" where limits are off.
func Site(ctx context.Context) string {
	x := exchangeOf(ctx)
	if x == nil || x.edge.limits.Off {
		return ""
	}
	address := translated(x.edge.ClientAddress(x.r))
	if address.Is6() {
		return masked(address, 48)
	}
	return address.String()
}

// ClientAddress is the address a request comes from. Behind trusted proxies
// it is the last address in X-Forwarded-For that is not one of them: what
// stands before it, anybody can write.
func (e *Edge) ClientAddress(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := peer.Addr().Unmap().WithZone("")
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !e.trusts(address) {
			break
		}
		next, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		address = next.Unmap().WithZone("")
	}
	return address
}

func (e *Edge) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(e.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(address) })
}

package rest

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

// siteShare is how many times the limit of a /64 network a whole /48 may use. A
// site gets a /48 or a part of one (RFC 6177), and can choose freely among its
// 65,536 /64 networks.
const siteShare = 16

// nat64 is the well-known prefix (RFC 6052) with which a translator writes an
// IPv4 address as an IPv6 one.
var nat64 = netip.MustParsePrefix("64:ff9b::/96") //nolint:gochecknoglobals // a constant

// counter is one of the counts that a request must not bring over its limit.
type counter struct {
	limit.Quota

	subject string
	of      string // follows Class.What in the text of a refusal
}

// countersOf are the counters of an address in a class. For IPv4 it is the
// address; for IPv6 they are its /64, because devices choose the rest, and its
// /48.
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

// translated returns the IPv4 address for which an IPv6 address stands. Any
// other address loses its zone.
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

// Site names the network of the caller, for handlers that limit what one
// network may hold: an IPv4 address, or the /48 of an IPv6 one, which is what
// one site has. It is "" where limits are off.
func Site(ctx context.Context) string {
	x := exchangeOf(ctx)
	if x == nil {
		return ""
	}
	return x.edge.Site(x.r)
}

// Site names the network of a request outside of any operation, like the
// function Site.
func (e *Edge) Site(r *http.Request) string {
	if e.limits.Off {
		return ""
	}
	address := translated(e.ClientAddress(r))
	if address.Is6() {
		return masked(address, 48)
	}
	return address.String()
}

// ClientAddress is the address of the caller. Behind trusted proxies it is the
// last address in X-Forwarded-For that is not one of them; anybody can forge
// the ones before it.
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

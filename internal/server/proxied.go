package server

import (
	"errors"
	"net"
	"net/netip"
	"slices"

	"github.com/pires/go-proxyproto"
)

// errNoDevice is the error for a header whose address is not that of a device.
var errNoDevice = errors.New("the PROXY header names no TCP address")

// proxied is a listener for connections that proxies pass on unread. No proxy
// can add X-Forwarded-For to them, because TLS ends here, or because they carry
// TURN. So a proxy begins each connection with a header that says where it
// comes from, in version 1 or 2 of the PROXY protocol (haproxy.org,
// proxy-protocol.txt). Only trusted proxies are believed: a header from anybody
// else is read as HTTP or TLS, and fails. Programs on this machine, such as
// health checks, may leave the header out, even where the machine's own address
// is trusted.
func (s *Server) proxied(l net.Listener) net.Listener {
	if !s.config.ProxyProtocol {
		return l
	}
	trusted := make([]netip.Prefix, 0, len(s.config.TrustedProxy))
	for _, network := range s.config.TrustedProxy {
		trusted = append(trusted, netip.MustParsePrefix(network)) // Check has parsed it
	}
	return &proxyproto.Listener{
		Listener: l,
		ConnPolicy: func(c proxyproto.ConnPolicyOptions) (proxyproto.Policy, error) {
			return headerOf(c.Upstream, trusted), nil
		},
		ValidateHeader: func(h *proxyproto.Header) error {
			if _, ok := h.SourceAddr.(*net.TCPAddr); !ok && h.SourceAddr != nil {
				return errNoDevice
			}
			return nil
		},
	}
}

// headerOf says whether the header of a connection from a peer is required, is
// optional, or is not looked for.
func headerOf(peer net.Addr, trusted []netip.Prefix) proxyproto.Policy {
	from, err := netip.ParseAddrPort(peer.String())
	address := from.Addr().Unmap().WithZone("")
	switch {
	case err != nil || !slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(address) }):
		return proxyproto.SKIP
	case address.IsLoopback():
		return proxyproto.USE
	}
	return proxyproto.REQUIRE
}

package server

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// onlyLocal serves programs on this machine, and answers 404 to everybody else.
// A proxy on this machine passes on requests of strangers. It is recognised by
// the headers that proxies add, or by a Host that does not name this machine. An
// unconfigured nginx before version 1.29.7 is recognised by HTTP/1.0 and
// Connection: close, and one for WebSockets by the upgrade that it asks for.
func onlyLocal(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !asksLocally(r) {
			noPage(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func noPage(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusNotFound, "There is no such page.")
}

func asksLocally(r *http.Request) bool {
	for _, name := range []string{
		"Forwarded", "Via", "X-Real-Ip", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Forwarded-Server",
	} {
		if r.Header.Values(name) != nil {
			return false
		}
	}
	if !r.ProtoAtLeast(1, 1) || asksForConnection(r, "close") || asksForConnection(r, "upgrade") {
		return false
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback() && namesLoopback(r.Host)
}

// asksForConnection says whether the Connection header has a word.
func asksForConnection(r *http.Request, word string) bool {
	for _, header := range r.Header.Values("Connection") {
		for one := range strings.SplitSeq(header, ",") {
			if strings.EqualFold(strings.TrimSpace(one), word) {
				return true
			}
		}
	}
	return false
}

// namesLoopback says whether a Host header is a loopback address. In a request from
// another machine it never is.
func namesLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	if len(host) > 1 && host[0] == '[' {
		host = host[1 : len(host)-1]
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

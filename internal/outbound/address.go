package outbound

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// The errors of Check. Their texts are for the person who chose the address.
var (
	ErrNotURL      = errors.New("must be an address such as https://example.com/hooks")
	ErrNotHTTPS    = errors.New("must begin with https://")
	ErrUserInfo    = errors.New("must not hold a user name or password")
	ErrNotPublic   = errors.New("must be public: private, local and cloud-metadata addresses are refused")
	ErrInvalidPort = errors.New("must have a port from 1 to 65535, or none")
)

// azure is the address where virtual machines on Azure find private data of the
// platform (168.63.129.16). It is a public address, so no registry of special
// addresses contains it. Other clouds use link-local, private or shared
// addresses for this.
var azure = netip.MustParsePrefix("168.63.129.16/32") //nolint:gochecknoglobals // a constant

// lookUpFor bounds the resolution of a name in Check.
const lookUpFor = 3 * time.Second

// Check says what is wrong with an address. A name that does not resolve (yet)
// is accepted, because every connection checks again.
func (c *Client) Check(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || u.Hostname() == "" || u.Fragment != "" {
		return ErrNotURL
	}
	switch {
	case u.Scheme != "https" && (u.Scheme != "http" || !c.AllowPrivate):
		return ErrNotHTTPS
	case u.User != nil:
		return ErrUserInfo
	}
	if text := u.Port(); text != "" || strings.HasSuffix(u.Host, ":") {
		if port, err := strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return ErrInvalidPort
		}
	}
	if c.AllowPrivate {
		return nil
	}
	return c.checkHost(ctx, strings.TrimSuffix(strings.ToLower(u.Hostname()), "."))
}

func (c *Client) checkHost(ctx context.Context, host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		return c.checkIP(ip)
	}
	name, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return ErrNotURL
	}
	if localName(name) {
		return ErrNotPublic
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpFor)
	defer cancel()
	ips, err := c.resolver().LookupNetIP(ctx, "ip", name)
	if err != nil {
		return nil // it does not resolve yet
	}
	for _, ip := range ips {
		if err := c.checkIP(ip.Unmap()); err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) checkIP(ip netip.Addr) error {
	if err := c.guardian.SafeAddr(ip); err != nil {
		return ErrNotPublic
	}
	return nil
}

// localName says whether a name can only mean something inside a network: one word,
// special names (RFC 6761, RFC 6762, RFC 7686, RFC 9476), .internal, and names that some
// resolvers take for a number and so for an IPv4 address. Names below .test and .invalid
// are not among them: they do not resolve now, and are treated like any unknown name.
func localName(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == name || last == "" {
		return true
	}
	switch last {
	case "localhost", "local", "internal", "alt", "onion":
		return true
	}
	_, err := strconv.ParseUint(last, 0, 64)
	return err == nil || strings.HasPrefix(last, "0x")
}

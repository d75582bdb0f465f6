package turn

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the media server and clients use it; HMAC does not need more of a hash
	"encoding/base64"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/pion/turn/v5"
)

// CredentialsOf are the credentials of a person until a time. The media server
// makes them in the same way, with the id that it gave the person.
func CredentialsOf(secret []byte, person string, expiry time.Time) (username, password string) {
	username = strconv.FormatInt(expiry.Unix(), 10) + ":" + person
	return username, passwordOf(secret, username)
}

func passwordOf(secret []byte, username string) string {
	mac := hmac.New(sha1.New, secret)
	mac.Write([]byte(username))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// name is a user name: whose it is, and until when it holds.
type name struct {
	person string
	expiry time.Time
}

// longestName bounds a user name. The media server's ids have some twenty bytes.
const longestName = 128

func parseName(username string) (name, bool) {
	seconds, person, ok := strings.Cut(username, ":")
	expiry, err := strconv.ParseInt(seconds, 10, 64)
	if !ok || err != nil || person == "" || len(username) > longestName {
		return name{}, false
	}
	return name{person, time.Unix(expiry, 0)}, true
}

// user is who asks for an allocation, and from where.
type user struct {
	name

	network netip.Prefix // the zero prefix counts for no network
}

// userID is what the library passes on about a user. It does not say from where
// an allocation is asked for, so the user's network is a part of it.
func userID(username string, device net.Addr) string {
	return siteOf(addressOf(device).Addr()) + " " + username
}

func parseUser(id string) (user, bool) {
	site, username, _ := strings.Cut(id, " ")
	n, ok := parseName(username)
	network, _ := netip.ParsePrefix(site)
	return user{n, network}, ok
}

// siteOf is the network whose allocations count together: an IPv4 address, or
// the first 48 bits of an IPv6 address, which is what one site has (RFC 6177).
// Behind a proxy on this machine, which passes on connections of everybody, there
// is none: "".
func siteOf(a netip.Addr) string {
	if !a.IsValid() || a.IsLoopback() {
		return ""
	}
	return prefixOf(a, 48).String()
}

// authenticate finds the key of a user name that still holds. The library checks
// the request against the key. It asks for each request, those that keep an
// allocation included.
func (s *Server) authenticate(r *turn.RequestAttributes) (id string, key []byte, ok bool) {
	n, ok := parseName(r.Username)
	if !ok || r.Realm != Realm || !s.config.Now().Before(n.expiry) {
		return "", nil, false
	}
	return userID(r.Username, r.SrcAddr), turn.GenerateAuthKey(r.Username, Realm, passwordOf(s.config.Secret, r.Username)), true
}

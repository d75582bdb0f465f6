package join

import (
	"net/netip"
	"net/url"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/room"
)

// link is a join link in the database.
type link struct {
	ID          string
	RoomID      string
	WorkspaceID string
	SecretHash  string
	Name        string
	Role        api.Role
	UserID      *string
	Avatar      *string
	RedirectURL *string
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// expired says whether the link has stopped working.
func (l link) expired(now time.Time) bool { return !now.Before(l.ExpiresAt) }

// object is the link as the API shows it, once, with its secret.
func (l link) object(publicURL string, r room.Room, secret string) api.JoinLink {
	return api.JoinLink{
		Object: "join_link", ID: l.ID, URL: publicURL + "/" + r.Code + "#join=" + secret, RoomID: l.RoomID, Name: l.Name, Role: l.Role,
		UserID: l.UserID, Avatar: l.Avatar, RedirectURL: l.RedirectURL, ExpiresAt: api.At(l.ExpiresAt), CreatedAt: api.At(l.CreatedAt),
	}
}

// checkRedirect refuses unsafe addresses: a page without https could be read on
// the way, and javascript: would run in our page. A service that is itself at a
// loopback address, as in development, takes http to loopback addresses too:
// nothing of that leaves the machine.
func checkRedirect(publicURL string, address *string) error {
	if address == nil {
		return nil
	}
	u, err := url.Parse(*address)
	own, ownErr := url.Parse(publicURL)
	local := err == nil && ownErr == nil && u.Scheme == "http" && isLoopback(u) && isLoopback(own)
	if err != nil || u.Scheme != "https" && !local || u.Hostname() == "" {
		return fault.BadParameter("redirect_url", "redirect_url must be an https address, such as https://example.com/thanks. "+
			"A service whose own address is on localhost also takes http://localhost.")
	}
	if u.User != nil {
		return fault.BadParameter("redirect_url", "redirect_url must not hold a user name or password.")
	}
	return nil
}

// isLoopback says whether an address is on the machine that opens it.
func isLoopback(u *url.URL) bool {
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

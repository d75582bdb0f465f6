package join

import (
	"crypto/sha256"
	"encoding/hex"
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

// secretHash is how a link's secret is stored.
func secretHash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// checkRedirect refuses unsafe addresses: a page without https could be read on
// the way, and javascript: would run in our page.
func checkRedirect(address *string) error {
	if address == nil {
		return nil
	}
	u, err := url.Parse(*address)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return fault.BadParameter("redirect_url", "redirect_url must be an https address, such as https://example.com/thanks.")
	}
	return nil
}

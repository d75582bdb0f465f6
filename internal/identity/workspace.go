package identity

import (
	"net/mail"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/schema"
)

// Account is a person.
type Account struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name,omitempty"`
}

// Workspace owns rooms and has members.
type Workspace struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Personal  bool     `json:"personal"`
	CreatedAt api.Time `json:"created_at"`
}

// The roles every workspace has.
const (
	RoleOwner  = "owner"
	RoleAdmin  = "admin"
	RoleMember = "member"
)

// Role is a role that a workspace made itself.
type Role struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	ManageKeys  bool   `json:"manage_keys"`
	ManageRooms bool   `json:"manage_rooms"`
}

// Member is an account in a workspace. Role is owner, admin, member, or the
// name of a role of the workspace.
type Member struct {
	AccountID string   `json:"account_id"`
	Email     string   `json:"email"`
	Role      string   `json:"role"`
	CreatedAt api.Time `json:"created_at"`
}

// The rights that roles carry.
const (
	RightManageKeys  = "manage_keys"
	RightManageRooms = "manage_rooms"
)

// rights returns what a role allows; custom is the workspace's own role, nil for
// a built-in one.
func rights(role string, custom *Role) (manageKeys, manageRooms bool) {
	switch {
	case role == RoleOwner || role == RoleAdmin:
		return true, true
	case custom != nil:
		return custom.ManageKeys, custom.ManageRooms
	default:
		return false, false
	}
}

// cleanEmail checks an address and gives it the one form in which accounts are
// found: bare, composed, with the letters A to Z in lower case. Other letters stay as they
// are, because Unicode has pairs that fold to one, such as the Kelvin sign and k:
// the holder of one address must not get the account of the other.
func cleanEmail(text string) (string, error) {
	address, err := mail.ParseAddress(text)
	if err != nil || address.Name != "" || len(address.Address) > 254 {
		return "", fault.BadParameter("email", "The e-mail address must look like ada@example.com.")
	}
	return lowerASCII(composed(address.Address)), nil
}

// composed returns a text in NFC, like the texts of requests. A text with a character
// that would become one of ASCII, such as the Kelvin sign, is not changed.
func composed(text string) string {
	becomesASCII := func(r rune) bool { return r >= utf8.RuneSelf && norm.NFC.String(string(r))[0] < utf8.RuneSelf }
	if strings.ContainsFunc(text, becomesASCII) {
		return text
	}
	return norm.NFC.String(text)
}

func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// named is a workspace, role or key that gets a name.
type named struct {
	Name string `json:"name" minLength:"1" maxLength:"80"`
}

// cleanName checks the name of a workspace, role or key, by the rules of every
// text of the API.
func cleanName(text string) (string, error) {
	checked, err := schema.Checked(named{Name: text})
	return checked.Name, err //nolint:wrapcheck // a refusal in words
}

package identity

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// Tries of a password are counted by account, and never so that a stranger's
// guesses lock its owner out:
//
//	signed in here before   by this device
//	new                     by the network it comes from; and all new devices
//	                        of the account together, many more in an hour
//
// Many networks can use up what new devices have together. Then the devices on
// which the owner has signed in before still get in. They show a cookie that
// says so; it opens nothing by itself.

const (
	deviceCookie = "conclave_device"
	devicePlace  = "known device" // what the cookie is sealed for
	// deviceLife is how long a device is known after it last signed in. Browsers
	// keep no cookie for longer than 400 days.
	deviceLife = 400 * 24 * time.Hour
)

// device is what the cookie of a device holds.
type device struct {
	Account string `json:"account"` // as tried names it
	ID      string `json:"id"`
}

// knownDevice makes the cookie of a device on which somebody signed in.
func (s *Service) knownDevice(email string) (*http.Cookie, error) {
	raw, err := json.Marshal(device{Account: tried(email), ID: id.Random(16, id.Lower)})
	if err != nil {
		return nil, fmt.Errorf("write the cookie of a device: %w", err)
	}
	sealed, err := s.Sealer.Seal(raw, devicePlace)
	if err != nil {
		return nil, fmt.Errorf("seal the cookie of a device: %w", err)
	}
	return s.cookieNamed(deviceCookie, sealed, deviceLife), nil
}

// openDevice reads the cookie of a device, if it is one of this account.
func (s *Service) openDevice(sealed, account string) (device, bool) {
	raw, err := s.Sealer.Open(sealed, devicePlace)
	if err != nil {
		return device{}, false
	}
	var d device
	if err := json.Unmarshal(raw, &d); err != nil {
		return device{}, false
	}
	return d, d.Account == account
}

// countTry counts a try of an account's password, whether it turns out right
// or not: a count that waited for the outcome would let many tries at once
// through. Addresses nobody has are counted alike.
func (s *Service) countTry(ctx context.Context, email string) error {
	account := tried(email)
	if d, known := s.openDevice(rest.Cookie(ctx, CookieName(s.PublicURL, deviceCookie)), account); known {
		return rest.Count(ctx, rest.ClassSignInAccount, account+"/"+d.ID)
	}
	if err := rest.CountFrom(ctx, rest.ClassSignInAccount, account); err != nil {
		return err
	}
	return rest.Count(ctx, rest.ClassSignInNewDevices, account)
}

// countOwnTry counts a try of the password by somebody who is signed in: by
// their session, which nobody else's guesses concern.
func countOwnTry(ctx context.Context, session string) error {
	return rest.Count(ctx, rest.ClassSignInAccount, secretHash(session)[:32])
}

// tried names the account whose password somebody tries. The table of limits
// and cookies are no place for addresses, so it is a hash.
func tried(email string) string {
	if clean, err := cleanEmail(email); err == nil {
		email = clean
	}
	return secretHash(strings.TrimSpace(email))[:32]
}

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

// Tries of a password are counted by account, in a way that does not let a
// stranger's guesses lock out its owner:
//
//	known device   a limit per device
//	new device     a limit per network, and a higher one, by the hour, for all
//	               new devices of the account together
//
// Many networks together can use up the limit of new devices. Devices on which
// the owner has signed in before still get in. They are known by a cookie, which
// gives no access by itself. A new password makes all devices new: somebody who knew
// the old one could have made any number of them, and guess on each.

const (
	deviceCookie  = "conclave_device"
	deviceBinding = "known device" // what the cookie is sealed for
	// deviceLife is how long a device stays known after the last sign-in on it.
	// Browsers keep a cookie for at most 400 days.
	deviceLife = 400 * 24 * time.Hour
)

// knownDevice is what the cookie of a device holds.
type knownDevice struct {
	Account  string `json:"account"` // as returned by tried
	ID       string `json:"id"`
	Password string `json:"password"` // as returned by markOf
}

// knownDevice makes the cookie of a device on which somebody signed in with a password.
func (s *Service) knownDevice(email, mark string) (*http.Cookie, error) {
	raw, err := json.Marshal(knownDevice{ //nolint:gosec // no password, only a mark
		Account: tried(email), ID: id.Random(16, id.Lower), Password: mark,
	})
	if err != nil {
		return nil, fmt.Errorf("write the cookie of a device: %w", err)
	}
	sealed, err := s.Sealer.Seal(raw, deviceBinding)
	if err != nil {
		return nil, fmt.Errorf("seal the cookie of a device: %w", err)
	}
	return s.cookieNamed(deviceCookie, sealed, deviceLife), nil
}

// deviceNow makes the cookie of a device, for the account's current password.
func (s *Service) deviceNow(ctx context.Context, email string) (*http.Cookie, error) {
	mark, err := s.markOf(ctx, email)
	if err != nil {
		return nil, err
	}
	return s.knownDevice(email, mark)
}

// openDevice reads the cookie of a device, if it is one of this account.
func (s *Service) openDevice(sealed, account string) (knownDevice, bool) {
	raw, err := s.Sealer.Open(sealed, deviceBinding)
	if err != nil {
		return knownDevice{}, false
	}
	var d knownDevice
	if err := json.Unmarshal(raw, &d); err != nil {
		return knownDevice{}, false
	}
	return d, d.Account == account
}

// countTry counts a try of an account's password before it is known to be right
// or wrong: counting afterwards would let many tries at once through. Addresses
// without an account are counted the same way.
func (s *Service) countTry(ctx context.Context, email string) error {
	account := tried(email)
	if d, known := s.openDevice(rest.Cookie(ctx, CookieName(s.PublicURL, deviceCookie)), account); known {
		mark, err := s.markOf(ctx, email)
		if err != nil {
			return err
		}
		if d.Password == mark {
			return rest.Count(ctx, rest.ClassSignInAccount, account+"/"+d.ID)
		}
	}
	if err := rest.CountFrom(ctx, rest.ClassSignInAccount, account); err != nil {
		return err
	}
	return rest.Count(ctx, rest.ClassSignInNewDevices, account)
}

// countOwnTry counts a password try of somebody who is signed in. It counts by
// session, so that other people's guesses do not matter.
func countOwnTry(ctx context.Context, session string) error {
	return rest.Count(ctx, rest.ClassSignInAccount, id.Hash(session)[:32])
}

// tried names the account whose password somebody tries. It returns a hash,
// because addresses do not belong in the table of limits or in cookies.
func tried(email string) string {
	if clean, err := cleanEmail(email); err == nil {
		email = clean
	}
	return id.Hash(strings.TrimSpace(email))[:32]
}

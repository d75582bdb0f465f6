package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"github.com/conclave-rooms/conclave/internal/fault"
)

// A password has a least length and no other rule (NIST SP 800-63B); the most
// is only there so that nobody can make the service hash a book.
const (
	shortestPassword = 10
	longestPassword  = 200
)

// hashPassword makes what is stored of a password: argon2id with 19 MiB and two
// passes, the first recommendation of OWASP's password storage cheat sheet.
func hashPassword(password string) (string, error) {
	hash, err := argon2id.CreateHash(password, &argon2id.Params{
		Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32,
	})
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}

// nobodysPassword is the hash of 32 random bytes that were thrown away. It is
// compared with where there is no password, so that the answer takes as long.
const nobodysPassword = "$argon2id$v=19$m=19456,t=2,p=1$JvUURPx1uWKDwlbD75AmkA$7uZ7TBt/CJwTiyBsxZmzn8QmA/XTG90i3FfrHkMAcsA" //nolint:gosec // nobody can sign in with it

// passwordMatches compares a password with what is stored; hash is empty where
// there is none.
func passwordMatches(password, hash string) (bool, error) {
	known := hash != ""
	if !known {
		hash = nobodysPassword
	}
	match, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("compare a password: %w", err)
	}
	return match && known, nil
}

// checkPassword says whether somebody may choose this password. Their address
// is the first thing anybody would try.
func checkPassword(param, password, email string) error {
	switch n := utf8.RuneCountInString(password); {
	case n < shortestPassword || n > longestPassword:
		return fault.BadParameter(param, fmt.Sprintf("The password must be %d to %d characters long.", shortestPassword, longestPassword))
	case strings.EqualFold(password, email):
		return fault.BadParameter(param, "The password must not be the e-mail address.")
	}
	return nil
}

// secretHash is how invitations and sessions are stored. A plain hash is
// enough: what it hides is 256 random bits, not a password.
func secretHash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

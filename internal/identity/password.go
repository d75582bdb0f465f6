package identity

import (
	"fmt"
	"strings"

	"github.com/alexedwards/argon2id"

	"github.com/conclave-rooms/conclave/internal/fault"
)

// hashPassword hashes a password for storage: argon2id with 19 MiB and two
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

// decoyHash is the hash of 32 random bytes that were thrown away. A password is
// compared with it when the account has no hash, so that the answer takes the
// same time.
const decoyHash = "$argon2id$v=19$m=19456,t=2,p=1$JvUURPx1uWKDwlbD75AmkA$7uZ7TBt/CJwTiyBsxZmzn8QmA/XTG90i3FfrHkMAcsA"

// passwordMatches compares a password with a stored hash, which is "" when there
// is none.
func passwordMatches(password, hash string) (bool, error) {
	known := hash != ""
	if !known {
		hash = decoyHash
	}
	match, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("compare a password: %w", err)
	}
	return match && known, nil
}

// checkPassword refuses a person's own e-mail address as the password, because it is the
// first guess anybody would make. The edge has checked the length (http_account.go).
func checkPassword(param, password, email string) error {
	if strings.EqualFold(password, email) {
		return fault.BadParameter(param, "The password must not be the e-mail address. Choose another one.")
	}
	return nil
}

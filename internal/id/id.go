// Package id makes the service's identifiers and secrets.
package id

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/google/uuid"
)

// New makes a resource id: a UUID version 7 (RFC 9562), whose order is the
// order of creation.
func New() string { return uuid.Must(uuid.NewV7()).String() }

// Valid says whether s is a UUID as New writes it. Other spellings that a
// lenient parser accepts (braces, upper case, urn:) are not ids of this
// service.
func Valid(s string) bool {
	if len(s) != 36 || strings.ToLower(s) != s {
		return false
	}
	_, err := uuid.Parse(s)
	return err == nil
}

// Secret makes 32 random bytes as base64url, for tickets, link secrets and
// passphrases. With 256 bits, nobody can find it from its hash.
func Secret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // crypto/rand.Read never fails (Go 1.24)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Hash returns how a secret is stored: its SHA-256 in hexadecimal. A plain hash
// is enough for what Secret makes and for API keys, because nobody can guess
// 172 random bits or more. Passwords are another matter.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Random makes n random characters of alphabet, without bias. The alphabet
// has at most 256 characters.
func Random(n int, alphabet string) string {
	limit := 256 - 256%len(alphabet) // higher bytes would favour the first letters
	out := make([]byte, 0, n)
	buf := make([]byte, n)
	for len(out) < n {
		_, _ = rand.Read(buf)
		for _, b := range buf {
			if int(b) < limit && len(out) < n {
				out = append(out, alphabet[int(b)%len(alphabet)])
			}
		}
	}
	return string(out)
}

// Lower is the alphabet of connection suffixes and of anonymous people's ids:
// characters that are safe in an address and a log, and easy to say.
const Lower = "0123456789abcdefghijklmnopqrstuvwxyz"

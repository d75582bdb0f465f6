package identity

import (
	"hash/crc32"
	"strings"

	"github.com/conclave-rooms/conclave/internal/id"
)

// The shape of a key (docs/reference/authentication.md): a prefix, then 43
// characters: 8 to look it up by, 29 secret (172 bits), 6 of checksum.
const (
	livePrefix   = "svc_live_"
	testPrefix   = "svc_test_"
	lookupLen    = 8
	secretLen    = 29
	checksumLen  = 6
	keyBodyLen   = lookupLen + secretLen + checksumLen
	keyPrefixLen = len(livePrefix) + lookupLen

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// Environments of keys: they separate staging from production credentials and
// have no other effect.
const (
	EnvironmentLive = "live"
	EnvironmentTest = "test"
)

// newKey makes a key of an environment.
func newKey(environment string) string {
	prefix := livePrefix
	if environment == EnvironmentTest {
		prefix = testPrefix
	}
	text := prefix + id.Random(lookupLen+secretLen, base62)
	return text + checksum(text)
}

// checksum is the CRC-32 (IEEE) of the text in six base-62 digits. It lets a
// leak scanner tell a real key from a look-alike, and the service refuse junk
// without a query.
func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	out := make([]byte, checksumLen)
	for i := checksumLen - 1; i >= 0; i-- {
		out[i] = base62[sum%62]
		sum /= 62
	}
	return string(out)
}

// wellFormed reports whether text can be a key of this service.
func wellFormed(text string) bool {
	if !strings.HasPrefix(text, livePrefix) && !strings.HasPrefix(text, testPrefix) {
		return false
	}
	if len(text) != len(livePrefix)+keyBodyLen || strings.Trim(text[len(livePrefix):], base62) != "" {
		return false
	}
	head := text[:len(text)-checksumLen]
	return checksum(head) == text[len(head):]
}

// keyPrefix returns the public beginning of a well-formed key, used to look it
// up and to show which key it is.
func keyPrefix(text string) string { return text[:keyPrefixLen] }

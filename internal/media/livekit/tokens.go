package livekit

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/livekit/protocol/auth"
)

// LiveKit's own package makes and checks tokens by the clock of this machine, which
// may be wrong. An external LiveKit would then refuse every token.

// claims are those of LiveKit's tokens.
type claims struct {
	jwt.RegisteredClaims
	auth.ClaimGrants
}

// leeway is how far the clocks of the maker and the reader of a token may differ, as
// in LiveKit.
const leeway = time.Minute

// sign makes a token that is valid for a time.
func (s *Server) sign(t *auth.AccessToken, life time.Duration) (string, error) {
	now, grants := s.now(), t.GetGrants()
	return jwt.NewWithClaims(jwt.SigningMethodHS256, claims{ //nolint:wrapcheck // the callers say what was signed
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: s.key, Subject: grants.Identity,
			IssuedAt: jwt.NewNumericDate(now), NotBefore: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(life)),
		},
		ClaimGrants: *grants,
	}).SignedString([]byte(s.secret))
}

// signedHash reads a token that was made with our key for a webhook, and returns
// the hash of the webhook's body.
func (h *hints) signedHash(token string) (string, error) {
	var c claims
	_, err := jwt.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return []byte(h.secret), nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithIssuer(h.key), jwt.WithLeeway(leeway), jwt.WithTimeFunc(h.now), jwt.WithExpirationRequired())
	if err != nil {
		return "", fmt.Errorf("check a token: %w", err)
	}
	return c.Sha256, nil
}

// isHashOf says whether a hash is that of these bytes.
func isHashOf(hash string, body []byte) bool {
	sum := sha256.Sum256(body)
	return subtle.ConstantTimeCompare([]byte(hash), []byte(base64.StdEncoding.EncodeToString(sum[:]))) == 1
}

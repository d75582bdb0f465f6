package probe

import (
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// audience distinguishes these tokens from all others that the service signs.
const audience = "connection test"

// sign makes the token of a test. Its subject is the test's name, by which the gate
// counts connections.
func sign(key []byte, name string, until time.Time) (string, error) {
	claims := jwt.RegisteredClaims{Issuer: "conclave", Audience: jwt.ClaimStrings{audience}, Subject: name, ExpiresAt: jwt.NewNumericDate(until)}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(key) //nolint:wrapcheck // fails only for a key of the wrong type
}

// read returns the name of the test that a token is for, and whether it has expired.
// ok is false when the text is not a token of a test.
func read(key []byte, text string, now time.Time) (name string, expired, ok bool) {
	var claims jwt.RegisteredClaims
	_, err := jwt.ParseWithClaims(text, &claims, func(*jwt.Token) (any, error) { return key, nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithAudience(audience), jwt.WithExpirationRequired(), jwt.WithTimeFunc(func() time.Time { return time.Time{} }))
	if err != nil || claims.Subject == "" {
		return "", false, false
	}
	return claims.Subject, !now.Before(claims.ExpiresAt.Time), true
}

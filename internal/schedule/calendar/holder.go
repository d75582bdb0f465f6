package calendar

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
)

// Holder is the account at a provider that a consent is for.
type Holder struct {
	ID    string // never changes
	Email string // "" when the provider does not say
}

// longestHolder is the longest id of an account (OpenID Connect Core 1.0, section
// 2).
const longestHolder = 255

// holderOf reads an ID token (OpenID Connect Core 1.0). Its signature is not
// checked: it came from the provider's token endpoint itself, over TLS (section
// 3.1.3.7).
func holderOf(idToken string) (Holder, error) {
	var claims struct {
		Subject string `json:"sub"`
		Email   string `json:"email"`
	}
	parts := strings.Split(idToken, ".")
	if len(parts) != 3 {
		return Holder{}, errors.New("the provider does not say whose the calendar is")
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(raw, &claims)
	}
	if err != nil || storable(claims.Subject, longestHolder) == "" {
		return Holder{}, errors.New("the provider does not say whose the calendar is")
	}
	return Holder{ID: claims.Subject, Email: OneLine(claims.Email, longestName)}, nil
}

package calendartest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// The service's registration with each provider.
const (
	ClientID     = "the-client"
	ClientSecret = "the-secret"
)

// tokenPath is the path of the token endpoint.
const tokenPath = "/token"

// Tokens is the token endpoint of a provider. Like the strictest provider, it accepts
// a refresh token only once, and only the newest access token is valid.
type Tokens struct {
	t testing.TB

	mu       sync.Mutex
	holder   string
	issued   int
	revoked  bool
	verifier string
}

// newTokens makes the token endpoint of an account.
func newTokens(t testing.TB, holder string) Tokens { return Tokens{t: t, holder: holder} }

// identity returns an ID token that names the account, with its e-mail address.
func (s *Tokens) identity() string {
	claims, err := json.Marshal(map[string]string{"sub": "id of " + s.holder, "email": s.holder})
	if err != nil {
		s.t.Error(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"RS256"}`)) + "." + encode(claims) + "." + encode([]byte("signed"))
}

// Code returns the authorization code at the end of a consent.
func (s *Tokens) Code() string { return "code of " + s.holder }

// Access returns the access token that is valid now.
func (s *Tokens) Access() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.access()
}

// Refresh returns the refresh token that is valid now.
func (s *Tokens) Refresh() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refresh()
}

func (s *Tokens) access() string { return fmt.Sprintf("access %d of %s", s.issued, s.holder) }

func (s *Tokens) refresh() string { return fmt.Sprintf("refresh %d of %s", s.issued, s.holder) }

// Issued returns how many access tokens were issued.
func (s *Tokens) Issued() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.issued
}

// Verifier returns the PKCE verifier of the last consent (RFC 7636).
func (s *Tokens) Verifier() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.verifier
}

// Revoke withdraws the consent, as the person does.
func (s *Tokens) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = true
}

func (s *Tokens) serve(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.t.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	form := r.PostForm
	good := false
	switch form.Get("grant_type") {
	case "refresh_token":
		good = form.Get("refresh_token") == s.refresh()
	case "authorization_code":
		if good = form.Get("code") == s.Code(); good {
			s.verifier = form.Get("code_verifier")
		}
	}
	switch {
	case form.Get("client_id") != ClientID || form.Get("client_secret") != ClientSecret:
		Reply(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
	case !good || s.revoked:
		Reply(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant", "error_description": "Token has been expired or revoked."})
	default:
		s.issued++
		Reply(w, http.StatusOK, map[string]any{"access_token": s.access(), "refresh_token": s.refresh(), "token_type": "Bearer", "expires_in": 3600, "id_token": s.identity()})
	}
}

// allowed reports whether a request has the valid access token.
func (s *Tokens) allowed(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return r.Header.Get("Authorization") == "Bearer "+s.access() && !s.revoked
}

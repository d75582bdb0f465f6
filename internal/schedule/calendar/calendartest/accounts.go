package calendartest

import (
	"net/http"
	"strings"
)

// Account is the calendar of an account at a provider.
type Account interface {
	http.Handler
	// asked reports whether a request is about this account, by its code or token.
	asked(r *http.Request) bool
}

// Accounts serves the accounts of a provider at one address.
func Accounts(all ...Account) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, account := range all {
			if account.asked(r) {
				account.ServeHTTP(w, r)
				return
			}
		}
		if r.URL.Path == tokenPath {
			Reply(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
	})
}

func (g *Google) asked(r *http.Request) bool { return g.Tokens.asked(r) }

func (m *Microsoft) asked(r *http.Request) bool { return m.Tokens.asked(r) }

func (s *Tokens) asked(r *http.Request) bool {
	said := r.Header.Get("Authorization")
	if r.URL.Path == tokenPath {
		said = r.PostFormValue("code") + r.PostFormValue("refresh_token")
	}
	return strings.HasSuffix(said, " of "+s.holder)
}

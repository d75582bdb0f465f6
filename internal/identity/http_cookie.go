package identity

import (
	"net/http"
	"strings"
	"time"
)

// SessionCookie names the cookie in which a browser keeps its session with the
// service at an address.
func SessionCookie(publicURL string) string { return CookieName(publicURL, "conclave_session") }

// CookieName is the name of a cookie. Where the service is reached by https it
// has the prefix with which browsers take a cookie from this very host only
// (RFC 6265bis, 4.1.3.2): another host of the same domain can plant none, and
// so make nobody use its session.
func CookieName(publicURL, name string) string {
	if secure(publicURL) {
		return "__Host-" + name
	}
	return name
}

func secure(publicURL string) bool { return strings.HasPrefix(publicURL, "https://") }

// cookieNamed makes a cookie for this service only, out of the reach of scripts
// and not sent with what other sites' pages ask, except for a link that somebody
// follows. An age below zero takes it away.
func (s *Service) cookieNamed(name, value string, age time.Duration) *http.Cookie {
	return &http.Cookie{ //nolint:gosec // Secure wherever the service is reached by https
		Name: CookieName(s.PublicURL, name), Value: value, Path: "/", MaxAge: int(age.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: secure(s.PublicURL),
	}
}

// cookie makes the cookie of a session.
func (s *Service) cookie(token string) *http.Cookie {
	return s.cookieNamed("conclave_session", token, sessionLife)
}

package identity

import (
	"net/http"
	"strings"
	"time"
)

// SessionCookie names the cookie in which a browser keeps its session with the
// service at an address.
func SessionCookie(publicURL string) string { return CookieName(publicURL, "conclave_session") }

// CookieName is the name of a cookie. When the service is reached by https, it
// has the prefix that makes browsers accept the cookie from this host only
// (RFC 6265bis, 4.1.3.2): another host of the same domain cannot set it, and so
// cannot make a person use a session of its own.
func CookieName(publicURL, name string) string {
	if secure(publicURL) {
		return "__Host-" + name
	}
	return name
}

func secure(publicURL string) bool { return strings.HasPrefix(publicURL, "https://") }

// cookieNamed makes a cookie for this service only. Scripts cannot read it, and
// browsers do not send it with requests that come from other sites, except when
// somebody follows a link. A negative age deletes it.
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

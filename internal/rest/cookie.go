package rest

import (
	"context"
	"fmt"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// A browser adds cookies by itself, even when a page of another site causes the
// request. So a request that changes something is only accepted with the cookie
// when the browser says that a page of this service sent it: in Sec-Fetch-Site
// or, for older browsers, in Origin. Programs send neither header, and nobody
// can make a program send somebody else's cookie.

// Sessions lets signed-in people use a group for API keys: a request without an
// Authorization header counts as theirs when it has the session's cookie. They
// act with scopes, like keys.
type Sessions struct {
	Cookie string
	// Header is an optional request header that chooses the workspace to act
	// in, and HeaderDoc its description in the document.
	Header, HeaderDoc string
	// Recognise is the Authenticator of sessions; chosen is the value of
	// Header. With a Forbidden fault it may also return the subject, so that
	// the refused request still counts for them.
	Recognise func(ctx context.Context, cookie, chosen string) (context.Context, string, error)
	// Missing is Recognise's refusal of a session that has ended.
	Missing *fault.Error
	// Errors are its other error codes.
	Errors []string
}

// OrSessions lets a group for keys take sessions too.
func OrSessions(s Sessions) GroupOption { return func(g *Group) { g.sessions = &s } }

// takesSessions says whether signed-in people may use the operation.
func (o *operation) takesSessions() bool { return o.group.sessions != nil && !o.KeysOnly && !o.Public }

// session returns the session's cookie. A request with an Authorization header,
// whatever it holds, comes from a program and has no session.
func (x *exchange) session() (string, bool) {
	if !x.op.takesSessions() || len(x.r.Header.Values("Authorization")) > 0 {
		return "", false
	}
	value := cookieOf(x.r, x.op.group.sessions.Cookie)
	return value, value != ""
}

// Cookie returns the value of a cookie of the request. It is empty without one,
// and when a page of another site caused the request.
func Cookie(ctx context.Context, name string) string {
	x := exchangeOf(ctx)
	if x == nil || x.edge.origins.Check(x.r) != nil {
		return ""
	}
	return cookieOf(x.r, name)
}

// cookieOf reads a cookie. It ignores one that occurs twice: another host of
// the same domain may have set the second one.
func cookieOf(r *http.Request, name string) string {
	found := r.CookiesNamed(name)
	if len(found) != 1 {
		return ""
	}
	return found[0].Value
}

// SetCookie adds a cookie to the answer.
func SetCookie(ctx context.Context, c *http.Cookie) {
	if x := exchangeOf(ctx); x != nil {
		http.SetCookie(x.w, c)
	}
}

// exchangeOf finds the request to which a handler's context belongs.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey).(*exchange)
	return x
}

// checkOrigin refuses requests that a page of another site caused.
func (x *exchange) checkOrigin() error {
	asked := x.r
	if _, ok := x.session(); ok {
		// The check accepts every GET, so it gets a copy with method POST.
		// No page of another site has a reason to read here.
		write := *x.r
		write.Method = http.MethodPost
		asked = &write
	} else if x.op.group.cookie == "" {
		return nil
	}
	if x.edge.origins.Check(asked) == nil {
		return nil
	}
	return fault.New(fault.Forbidden, api.CodeCrossOrigin, "Only a page of this service can make this request.")
}

// newOrigins recognises the pages of this service: those of the requested host,
// and those of the public address, which differs from it behind a proxy that
// changes the host.
func newOrigins(publicURL string) (*http.CrossOriginProtection, error) {
	p := http.NewCrossOriginProtection()
	if publicURL == "" {
		return p, nil
	}
	if err := p.AddTrustedOrigin(publicURL); err != nil {
		return nil, fmt.Errorf("trust pages of %s: %w", publicURL, err)
	}
	return p, nil
}

package rest

import (
	"context"
	"fmt"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// A browser sends cookies by itself, also when another site's page makes it
// ask. So a request that changes something counts as its holder's only when
// the browser says that a page of this service sent it: by Sec-Fetch-Site, or
// where an older browser does not send that, by Origin. Programs send neither;
// nobody can make them send somebody else's cookie.

// Sessions lets a door for keys take people who are signed in, where a request
// has no Authorization header and the session's cookie. They act with scopes,
// as keys do.
type Sessions struct {
	Cookie string
	// Header is a request header that chooses what to act in, and what the
	// document says of it. It is optional.
	Header, HeaderDoc string
	// Recognise is the Authenticator of sessions; chosen is the value of the
	// header. It may name the subject of a request that it refuses with a
	// Forbidden fault, which then counts as one of the subject's.
	Recognise func(ctx context.Context, cookie, chosen string) (context.Context, string, error)
	// Missing is its refusal of a session that is over.
	Missing *fault.Error
	// Errors are the codes it answers beside that.
	Errors []string
}

// OrSessions makes a door for keys take sessions too.
func OrSessions(s Sessions) DoorOption { return func(d *Door) { d.sessions = &s } }

// takesSessions says whether a signed-in person may ask for the operation.
func (o *operation) takesSessions() bool { return o.door.sessions != nil && !o.KeysOnly && !o.Public }

// session gives the cookie of a request that comes from a signed-in person.
// With an Authorization header, whatever it holds, a request is a program's.
func (x *exchange) session() (string, bool) {
	if !x.op.takesSessions() || len(x.r.Header.Values("Authorization")) > 0 {
		return "", false
	}
	value := cookieOf(x.r, x.op.door.sessions.Cookie)
	return value, value != ""
}

// Cookie gives the value of a cookie of the request, empty when it has none or
// when another site's page made the browser send it.
func Cookie(ctx context.Context, name string) string {
	x := exchangeOf(ctx)
	if x == nil || x.edge.origins.Check(x.r) != nil {
		return ""
	}
	return cookieOf(x.r, name)
}

// cookieOf reads a cookie. One that is there twice is nobody's: another host of
// the same domain may have set the second one.
func cookieOf(r *http.Request, name string) string {
	found := r.CookiesNamed(name)
	if len(found) != 1 {
		return ""
	}
	return found[0].Value
}

// SetCookie sends a cookie with the answer of the request.
func SetCookie(ctx context.Context, c *http.Cookie) {
	if x := exchangeOf(ctx); x != nil {
		http.SetCookie(x.w, c)
	}
}

// exchangeOf finds the request that a handler's context belongs to.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey).(*exchange)
	return x
}

// checkOrigin refuses what another site's page made the browser ask.
func (x *exchange) checkOrigin() error {
	asked := x.r
	if _, ok := x.session(); ok {
		// The check lets every read pass. Here a read is looked at like a write:
		// no page of another site has a reason to make a browser ask.
		write := *x.r
		write.Method = http.MethodPost
		asked = &write
	} else if x.op.door.cookie == "" {
		return nil
	}
	if x.edge.origins.Check(asked) == nil {
		return nil
	}
	return fault.New(fault.Forbidden, api.CodeCrossOrigin, "This can only be asked by a page of this service.")
}

// newOrigins knows which pages are this service's: those of the host that was
// asked, and those of the public address, which differs behind a proxy that
// puts another host into its requests.
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

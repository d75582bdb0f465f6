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
	if x.op.door.cookie == "" || x.edge.origins.Check(x.r) == nil {
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

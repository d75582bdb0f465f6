package identity

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// flowCookie is the cookie that keeps a flow in the browser.
const flowCookie = "conclave_oidc"

// mountOIDC registers the two requests that take a browser to the identity
// provider and back. The provider sends the browser back by a link, so SameSite
// Lax lets the flow's cookie through.
func (s *Service) mountOIDC(d *rest.Group) {
	rest.HandleRaw(d, rest.Op{
		ID: "startOIDC", Method: http.MethodGet, Path: "/oidc/start", Tag: "OpenID Connect", Public: true, Limit: rest.ClassSignIn,
		Status: http.StatusSeeOther, Produces: "text/html", Summary: "Go to the identity provider",
		Description: "For a link on a page. The query parameter next is the path of this service to go to once signed in.",
		Errors:      []string{api.CodeOIDCNotConfigured},
	}, func(w http.ResponseWriter, r *http.Request) error {
		address, sealed, err := s.StartOIDC(r.Context(), r.URL.Query().Get("next"))
		if err != nil {
			return s.sayProblem(w, r, err)
		}
		http.SetCookie(w, s.cookieNamed(flowCookie, sealed, flowLife))
		goOn(w, r, address)
		return nil
	})
	rest.HandleRaw(d, rest.Op{
		ID: "finishOIDC", Method: http.MethodGet, Path: "/oidc/callback", Tag: "OpenID Connect", Public: true,
		Status: http.StatusSeeOther, Produces: "text/html", Summary: "Come back from the identity provider",
		Description: "Signs in and redirects to the page, or to the sign-in page with #problem= when that failed.",
		Errors:      []string{api.CodeOIDCNotConfigured},
	}, func(w http.ResponseWriter, r *http.Request) error {
		sealed := ""
		if c, err := r.Cookie(CookieName(s.PublicURL, flowCookie)); err == nil {
			sealed = c.Value
		}
		token, next, err := s.FinishOIDC(r.Context(), r.URL.Query(), sealed)
		if err != nil {
			return s.sayProblem(w, r, err)
		}
		http.SetCookie(w, s.cookieNamed(flowCookie, "", -time.Second))
		http.SetCookie(w, s.cookie(token))
		goOn(w, r, s.PublicURL+next)
		return nil
	})
}

// sayProblem sends the browser to the page that explains a problem in words. The
// cause is logged for the operator and not shown.
func (s *Service) sayProblem(w http.ResponseWriter, r *http.Request, err error) error {
	problem, ok := errors.AsType[OIDCError](err)
	if !ok {
		return err
	}
	s.logProblem(r.Context(), problem, err)
	http.SetCookie(w, s.cookieNamed(flowCookie, "", -time.Second))
	goOn(w, r, s.PublicURL+"/sign-in#problem="+url.QueryEscape(string(problem)))
	return nil
}

func (s *Service) logProblem(ctx context.Context, problem OIDCError, err error) {
	if problem == ErrOIDCUnavailable || problem == ErrOIDCDenied {
		s.Logger.WarnContext(ctx, "nobody was signed in by the identity provider", "problem", string(problem), "error", err, "request_id", rest.RequestID(ctx))
	}
}

// goOn redirects the browser without a Referer header: the address it leaves
// contains a code that must not leak.
func goOn(w http.ResponseWriter, r *http.Request, address string) {
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, address, http.StatusSeeOther) //nolint:gosec // the provider's address, or one of this service: see ownPath
}

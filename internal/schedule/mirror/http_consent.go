package mirror

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// flowCookie is the cookie that keeps a flow in the browser.
const flowCookie = "conclave_calendar"

// mountConsent registers the two requests that take a browser to a provider and back.
func (s *Service) mountConsent(d *rest.Group, name Provider) {
	title := strings.ToUpper(string(name[:1])) + string(name[1:])
	rest.HandleRaw(d, rest.Op{
		ID: "start" + title + "Calendar", Method: http.MethodGet, Path: "/calendars/" + string(name) + "/start", Tag: "Calendars", Limit: rest.ClassCalendarConnect,
		Status: http.StatusSeeOther, Produces: "text/html", Summary: "Go to " + name.Title() + " to connect a calendar",
		Description: "For a link on a page.", Errors: []string{api.CodeCalendarNotConfigured},
	}, func(w http.ResponseWriter, r *http.Request) error {
		who, _ := identity.SignedIn(r.Context())
		address, sealed, err := s.StartConsent(name, who.ID)
		if err != nil {
			return err
		}
		s.setFlow(w, sealed, int(flowLife.Seconds()))
		goOn(w, r, address)
		return nil
	})
	rest.HandleRaw(d, rest.Op{
		ID: "finish" + title + "Calendar", Method: http.MethodGet, Path: "/calendars/" + string(name) + "/callback", Tag: "Calendars", Public: true,
		Status: http.StatusSeeOther, Produces: "text/html", Summary: "Come back from " + name.Title(),
		Description: "Connects the calendar and redirects to the account page, with #problem= when that failed.",
		Errors:      []string{api.CodeCalendarNotConfigured},
	}, func(w http.ResponseWriter, r *http.Request) error { return s.comeBack(w, r, name) })
}

func (s *Service) comeBack(w http.ResponseWriter, r *http.Request, name Provider) error {
	who, signedIn := identity.SignedIn(r.Context())
	if !signedIn { // the session ended meanwhile
		goOn(w, r, s.PublicURL+"/sign-in?next=/account")
		return nil
	}
	// The provider is asked about every code. A flow can be ended with many that somebody
	// made up, and the provider limits how often the service may ask.
	if err := rest.Count(r.Context(), rest.ClassCalendarConnect, who.ID); err != nil {
		return err //nolint:wrapcheck // a refusal
	}
	sealed := ""
	if c, err := r.Cookie(identity.CookieName(s.PublicURL, flowCookie)); err == nil {
		sealed = c.Value
	}
	err := s.FinishConsent(r.Context(), name, who.ID, r.URL.Query(), sealed)
	said, isProblem := errors.AsType[ConsentError](err)
	if err != nil && !isProblem {
		return err
	}
	s.setFlow(w, "", -1)
	if isProblem {
		s.Logger.WarnContext(r.Context(), "a calendar was not connected", "provider", name, "problem", string(said), "error", err, "request_id", rest.RequestID(r.Context()))
		goOn(w, r, s.PublicURL+"/account#problem="+url.QueryEscape(string(said)))
		return nil
	}
	goOn(w, r, s.PublicURL+"/account#calendars")
	return nil
}

// setFlow sets the flow's cookie. The browser must send it when it follows the
// provider's link back, which SameSite Lax allows.
func (s *Service) setFlow(w http.ResponseWriter, sealed string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever the service is reached by https
		Name: identity.CookieName(s.PublicURL, flowCookie), Value: sealed, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(s.PublicURL, "https://"),
	})
}

// goOn redirects the browser without a Referer header: the address it leaves may
// contain a code that must not leak.
func goOn(w http.ResponseWriter, r *http.Request, address string) {
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, address, http.StatusSeeOther)
}

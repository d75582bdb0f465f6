package mirror_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/schedule/caldavtest"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar/calendartest"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// signIn signs somebody in and returns the cookie of their session.
func (d *testService) signIn(email string) (cookie string) {
	d.t.Helper()
	invitation, err := d.Identity.Invite(d.t.Context(), email)
	if err != nil {
		d.t.Fatal(err)
	}
	_, secret, _ := strings.Cut(invitation.URL, "#")
	_, token, err := d.Identity.Accept(d.t.Context(), secret, "Somebody", "correct horse")
	if err != nil {
		d.t.Fatal(err)
	}
	return identity.SessionCookie(servertest.PublicURL) + "=" + token
}

// as sends a request to the account API with cookies.
func (d *testService) as(cookies, method, path, body string) servertest.Answer {
	d.t.Helper()
	return d.Send(servertest.Request{Method: method, Path: "/account/v1" + path, Body: body, Header: http.Header{"Cookie": {cookies}}})
}

// goodCode is the provider's answer after the owner consented.
const goodCode = "code=code+of+" + owner

// A provider's answer is used only in the browser and for the account that began the
// flow, and only in time.
func TestAProvidersAnswerIsForOneBrowserAndAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		back    func(d *testService, state, cookies string) (query, cookie string)
		problem string // of the account page; "sign-in" for the sign-in page
	}{
		"refused": {func(_ *testService, state, cookies string) (string, string) {
			return "error=access_denied&state=" + state, cookies
		}, "calendar_denied"},
		"no code": {func(_ *testService, state, cookies string) (string, string) { return "state=" + state, cookies }, "calendar_denied"},
		"another code": {func(_ *testService, state, cookies string) (string, string) {
			return "code=other&state=" + state, cookies
		}, "calendar_denied"},
		"another state": {func(_ *testService, _, cookies string) (string, string) { return goodCode + "&state=x", cookies }, "calendar_expired"},
		"no state":      {func(_ *testService, _, cookies string) (string, string) { return goodCode, cookies }, "calendar_expired"},
		"another browser": {func(_ *testService, state, cookies string) (string, string) {
			return goodCode + "&state=" + state, strings.Split(cookies, "; ")[0]
		}, "calendar_expired"},
		"another account": {func(d *testService, state, cookies string) (string, string) {
			return goodCode + "&state=" + state, d.signIn("eve@acme.example") + "; " + strings.Split(cookies, "; ")[1]
		}, "calendar_expired"},
		"at the last moment": {func(d *testService, state, cookies string) (string, string) {
			d.Pass(10*time.Minute - time.Millisecond)
			return goodCode + "&state=" + state, cookies
		}, ""},
		"too late": {func(d *testService, state, cookies string) (string, string) {
			d.Pass(10 * time.Minute)
			return goodCode + "&state=" + state, cookies
		}, "calendar_expired"},
		"signed out": {func(_ *testService, state, cookies string) (string, string) {
			return goodCode + "&state=" + state, strings.Split(cookies, "; ")[1]
		}, "sign-in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newTestService(t, dbtest.Config(t, db.SQLite))
			if _, err := d.Identity.AddMember(t.Context(), d.workspace, "eve@acme.example", "member"); err != nil {
				t.Fatal(err)
			}
			d.offer(mirror.Google, calendartest.NewGoogle(t, owner))
			asked, cookies := d.start(d.signIn(owner), mirror.Google)
			query, cookie := c.back(d, asked.Get("state"), cookies)
			a := d.as(cookie, http.MethodGet, "/calendars/google/callback?"+query, "")
			want := map[string]string{"": "/account#calendars", "sign-in": "/sign-in?next=/account"}[c.problem]
			if want == "" {
				want = "/account#problem=" + c.problem
			}
			if to := a.Header.Get("Location"); to != "https://meet.example.com"+want {
				t.Errorf("the answer is %d and leads to %q, want %q", a.Status, to, want)
			}
			if made := len(d.connections()); (made == 1) != (c.problem == "") {
				t.Errorf("there are %d connections", made)
			}
		})
	}
}

// Going to a provider and coming back count as tries to connect a calendar. Otherwise a
// member could have the provider asked about any number of codes that they made up.
func TestReturnsFromAProviderAreLimited(t *testing.T) {
	t.Parallel()
	d := &testService{Service: servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{RateLimits: true}), t: t}
	d.Workspace("acme", owner)
	d.offer(mirror.Google, calendartest.NewGoogle(t, owner))
	asked, cookies := d.start(d.signIn(owner), mirror.Google)
	back := func() servertest.Answer {
		return d.as(cookies, http.MethodGet, "/calendars/google/callback?code=other&state="+asked.Get("state"), "")
	}
	for i := range 9 {
		if a := back(); a.Status != http.StatusSeeOther {
			t.Fatalf("return %d: %d %s", i+1, a.Status, a.Body)
		}
	}
	if a := back(); a.Code() != api.CodeRateLimited {
		t.Errorf("return 10: %d %s", a.Status, a.Body)
	}
	d.Pass(time.Minute)
	if a := back(); a.Status != http.StatusSeeOther {
		t.Errorf("a minute later: %d %s", a.Status, a.Body)
	}
}

// A provider that the operator did not register is not offered.
func TestAProviderThatIsNotConfigured(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		cookie := d.signIn(owner)
		if a := d.as(cookie, http.MethodGet, "/calendars", ""); !strings.Contains(string(a.Body), `"providers":["caldav"]`) {
			t.Errorf("offered are %s", a.Body)
		}
		for _, path := range []string{"/calendars/google/start", "/calendars/microsoft/start", "/calendars/google/callback"} {
			if a := d.as(cookie, http.MethodGet, path, ""); a.Code() != api.CodeCalendarNotConfigured {
				t.Errorf("%s: %d %s", path, a.Status, a.Body)
			}
		}
	})
}

// The requests of the account page connect with a password, list and disconnect. People
// cannot see or disconnect the calendars of others.
func TestCalendarsOfTheAccountPage(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := newTestService(t, where)
		if _, err := d.Identity.AddMember(t.Context(), d.workspace, "eve@acme.example", "member"); err != nil {
			t.Fatal(err)
		}
		to := caldavtest.Start(t)
		ada, eve := d.signIn(owner), d.signIn("eve@acme.example")
		connect := func(url, password string) servertest.Answer {
			return d.as(ada, http.MethodPost, "/calendars/caldav", `{"url": "`+url+`", "username": "ada", "password": "`+password+`"}`)
		}
		if a := connect(to.URL, "wrong"); a.Status != http.StatusBadRequest || a.Refusal().Param != "password" {
			t.Errorf("a wrong password: %d %s", a.Status, a.Body)
		}
		if a := connect("http://127.0.0.1:1", "x"); a.Code() != api.CodeCalendarUnreachable {
			t.Errorf("no server: %d %s", a.Status, a.Body)
		}
		if a := connect("nonsense", "x"); a.Status != http.StatusBadRequest || a.Refusal().Param != "url" {
			t.Errorf("no address: %d %s", a.Status, a.Body)
		}
		if a := connect(to.URL, caldavtest.Password); a.Status != http.StatusOK || strings.Contains(string(a.Body), caldavtest.Password) {
			t.Fatalf("connect: %d %s", a.Status, a.Body)
		}
		if a := connect(to.URL, caldavtest.Password); a.Status != http.StatusOK { // again
			t.Errorf("connect again: %d %s", a.Status, a.Body)
		}
		c := d.only()
		if strings.Contains(string(dbtest.Stored(t, where)), caldavtest.Password) {
			t.Error("the password is in the database")
		}
		if a := d.as(eve, http.MethodGet, "/calendars", ""); strings.Contains(string(a.Body), c.ID) {
			t.Errorf("somebody else sees %s", a.Body)
		}
		if a := d.as(eve, http.MethodDelete, "/calendars/"+c.ID, "{}"); a.Code() != api.CodeNotFound {
			t.Errorf("somebody else disconnects it: %d %s", a.Status, a.Body)
		}
		if a := d.as(ada, http.MethodDelete, "/calendars/"+c.ID, "{}"); a.Status != http.StatusOK {
			t.Errorf("disconnect: %d %s", a.Status, a.Body)
		}
		if a := d.as(ada, http.MethodDelete, "/calendars/"+c.ID, "{}"); a.Code() != api.CodeNotFound {
			t.Errorf("disconnect again: %d %s", a.Status, a.Body)
		}
	})
}

// A calendar at a private address is refused unless the operator allows it.
func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	s.Workspace("acme", owner)
	account, err := s.Identity.AccountByEmail(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"https://127.0.0.1/", "https://10.0.0.1/", "https://localhost/", "http://dav.example.com/"} {
		_, err := s.Calendars.ConnectCalDAV(t.Context(), account.ID, mirror.CalDAVRequest{URL: address, User: "ada", Password: "x"})
		if err == nil || !strings.Contains(err.Error(), "(url)") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

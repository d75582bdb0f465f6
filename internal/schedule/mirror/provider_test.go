package mirror_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar/calendartest"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// account is the calendar of an account at a provider.
type account interface {
	calendartest.Account
	Events(t testing.TB) []calendartest.Event
}

// offer registers the service with a provider that has the given accounts.
func (d *testService) offer(name mirror.Provider, accounts ...calendartest.Account) {
	d.t.Helper()
	web := httptest.NewServer(calendartest.Accounts(accounts...))
	d.t.Cleanup(web.Close)
	p := &d.Calendars.Providers.Google
	made := mirror.NewGoogle(d.Calendars.Client, d.Now, servertest.PublicURL, calendartest.ClientID, calendartest.ClientSecret)
	if name == mirror.Microsoft {
		p = &d.Calendars.Providers.Microsoft
		made = mirror.NewMicrosoft(d.Calendars.Client, d.Now, servertest.PublicURL, calendartest.ClientID, calendartest.ClientSecret, "common")
	}
	made.Base, made.OAuth.Config.Endpoint.TokenURL = web.URL, web.URL+"/token"
	*p = made
}

// start begins a consent. It returns the parameters sent to the provider, and the
// cookies.
func (d *testService) start(cookie string, name mirror.Provider) (asked url.Values, cookies string) {
	d.t.Helper()
	a := d.as(cookie, http.MethodGet, "/calendars/"+string(name)+"/start", "")
	to, err := url.Parse(a.Header.Get("Location"))
	host := map[mirror.Provider]string{mirror.Google: "accounts.google.com", mirror.Microsoft: "login.microsoftonline.com"}[name]
	if err != nil || a.Status != http.StatusSeeOther || to.Host != host {
		d.t.Fatalf("start: %d, to %q", a.Status, a.Header.Get("Location"))
	}
	flow, _, _ := strings.Cut(a.Header.Get("Set-Cookie"), ";")
	return to.Query(), cookie + "; " + flow
}

// consent connects the owner's calendar at a provider through the browser. It returns
// the parameters sent to the provider.
func (d *testService) consent(name mirror.Provider, holder string) (asked url.Values) {
	d.t.Helper()
	if d.cookie == "" {
		d.cookie = d.signIn(owner)
	}
	asked, cookies := d.start(d.cookie, name)
	query := url.Values{"code": {"code of " + holder}, "state": {asked.Get("state")}}
	a := d.as(cookies, http.MethodGet, "/calendars/"+string(name)+"/callback?"+query.Encode(), "")
	if to := a.Header.Get("Location"); a.Status != http.StatusSeeOther || to != servertest.PublicURL+"/account#calendars" {
		d.t.Fatalf("back from %s: %d, to %q", name, a.Status, to)
	}
	return asked
}

// titles returns the titles of an account's events.
func titles(t *testing.T, a account) (all []string) {
	t.Helper()
	for _, e := range a.Events(t) {
		all = append(all, e.Title)
	}
	return all
}

// A person connects a calendar in their browser, meetings are written to it and access
// is renewed. When the person withdraws the access, the connection shows it.
func TestConnectingAtAProvider(t *testing.T) {
	t.Parallel()
	for name, open := range map[mirror.Provider]func(t *testing.T) (account, *calendartest.Tokens){
		mirror.Google: func(t *testing.T) (account, *calendartest.Tokens) {
			t.Helper()
			g := calendartest.NewGoogle(t, owner)
			return g, &g.Tokens
		},
		mirror.Microsoft: func(t *testing.T) (account, *calendartest.Tokens) {
			t.Helper()
			m := calendartest.NewMicrosoft(t, owner)
			return m, &m.Tokens
		},
	} {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
				d := newTestService(t, where)
				to, tokens := open(t)
				d.offer(name, to)
				asked := d.consent(name, owner)
				if asked.Get("redirect_uri") != servertest.PublicURL+"/account/v1/calendars/"+string(name)+"/callback" || asked.Get("code_challenge_method") != "S256" {
					t.Errorf("the provider is asked %v", asked)
				}
				sum := sha256.Sum256([]byte(tokens.Verifier()))
				if base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") {
					t.Error("the verifier does not match the challenge")
				}
				first := tokens.Access()
				m := d.plan("Review", "")
				d.Settle()
				if got := titles(t, to); !slices.Equal(got, []string{"Review"}) {
					t.Errorf("the calendar has %q", got)
				}
				d.change(m, `{"title": "Later"}`)
				d.Advance(2 * time.Hour) // the access has ended
				d.change(m, `{"title": "Later still"}`)
				d.Advance(2 * time.Hour)
				if got := titles(t, to); !slices.Equal(got, []string{"Later still"}) || tokens.Issued() != 3 {
					t.Errorf("the calendar has %q, after %d tokens", got, tokens.Issued())
				}
				stored := string(dbtest.Stored(t, where))
				for _, secret := range []string{first, tokens.Access(), tokens.Refresh()} {
					if strings.Contains(stored, secret) {
						t.Errorf("%q is in the database", secret)
					}
				}
				tokens.Revoke()
				d.change(m, `{"title": "Too late"}`)
				d.Advance(2 * time.Hour)
				if c := d.only(); c.Status != mirror.Revoked || *c.Error != "access_ended" || c.Provider != name || c.Name != owner || c.Pending != 1 {
					t.Errorf("the connection is %+v", c)
				}
			})
		})
	}
}

// When the secret of the service's client has expired, nothing is given up: everything is
// written once the operator has replaced it.
func TestNothingIsLostWhileTheClientIsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := calendartest.NewMicrosoft(t, owner)
		d.offer(mirror.Microsoft, to)
		d.consent(mirror.Microsoft, owner)
		stays, goes := d.plan("Stays", ""), d.plan("Goes", "")
		d.Settle()
		client := &d.Calendars.Providers.Microsoft.OAuth.Config
		client.ClientSecret = "expired"
		d.Advance(2 * time.Hour) // the access token has expired
		d.change(stays, `{"title": "Moved"}`)
		d.cancel(goes)
		d.Settle()
		if c := d.only(); c.Status != mirror.Connected || c.Error == nil || *c.Error != "client_refused" || c.FailingSince == nil || c.Failed != 0 || c.Pending != 2 {
			t.Errorf("the connection is %+v", c)
		}
		client.ClientSecret = calendartest.ClientSecret
		d.Advance(2 * time.Hour)
		if got := titles(t, to); !slices.Equal(got, []string{"Moved"}) {
			t.Errorf("the calendar has %q", got)
		}
		if c := d.only(); c.Error != nil || c.FailingSince != nil || c.Pending != 0 {
			t.Errorf("the connection is %+v", c)
		}
	})
}

// Microsoft has no rule for a series on the 31st. It gets single events for the next
// twelve months, and another one each time the next comes within twelve months. When
// the meeting is cancelled, all are removed.
func TestASeriesOnThe31stAtMicrosoft(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		to := calendartest.NewMicrosoft(t, owner)
		d.offer(mirror.Microsoft, to)
		d.consent(mirror.Microsoft, owner)
		holds := func(doing, title string, want ...string) {
			t.Helper()
			var got []string
			for _, e := range to.Events(t) {
				got = append(got, e.Starts.UTC().Format("2006-01-02 15"))
				if e.Title != title || e.Rule != "" {
					t.Errorf("%s, an event is %v", doing, e)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s, the calendar holds %q, want %q", doing, got, want)
			}
		}
		m := d.ask(http.MethodPost, "/meetings", `{"title": "Close", "starts_at": "2026-12-31T10:00:00Z", "ends_at": "2026-12-31T11:00:00Z", "recurrence": "monthly"}`)
		d.Settle()
		year := []string{"2026-12-31 10", "2027-01-31 10", "2027-03-31 10", "2027-05-31 10", "2027-07-31 10", "2027-08-31 10", "2027-10-31 10"}
		holds("written in November", "Close", year...)
		last := time.Date(2026, 12, 31, 10, 0, 0, 0, time.UTC)
		d.Advance(last.Add(-time.Millisecond).Sub(d.Now()))
		holds("a moment before the next one comes within a year", "Close", year...)
		d.Advance(time.Millisecond)
		year = append(year, "2027-12-31 10")
		holds("topped up", "Close", year...)
		d.change(m, `{"title": "Year's end"}`)
		d.Settle()
		holds("renamed while the first one runs", "Year's end", year...)
		d.Advance(31 * 24 * time.Hour) // 2028-01-31 comes within a year
		holds("topped up again", "Year's end", append(year, "2028-01-31 10")...)
		d.cancel(m)
		d.Settle()
		holds("cancelled", "")
		if n := d.Count("calendar_mirror") + d.Count("job"); n != 0 {
			t.Errorf("%d rows are left", n)
		}
	})
}

// Calendars of two accounts at the same provider are separate: the first keeps its
// entries and stays connected, whatever happens to the other.
func TestTwoAccountsAtAProvider(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		const private = "ada@home.example"
		work, home := calendartest.NewGoogle(t, owner), calendartest.NewGoogle(t, private)
		d.offer(mirror.Google, work, home)
		d.consent(mirror.Google, owner)
		m := d.plan("Review", "")
		d.Settle()
		d.consent(mirror.Google, private)
		d.change(m, `{"title": "Moved"}`)
		d.Settle()
		for name, to := range map[string]account{"work": work, "home": home} {
			if got := titles(t, to); !slices.Equal(got, []string{"Moved"}) {
				t.Errorf("the calendar of %s has %q", name, got)
			}
		}
		all := d.connections()
		if len(all) != 2 || all[0].Name != owner || all[1].Name != private {
			t.Fatalf("the connections are %+v", all)
		}
		// The first one, connected again, is the same connection.
		d.consent(mirror.Google, owner)
		d.Settle()
		if again := d.connections(); len(again) != 2 || again[0].ID != all[0].ID {
			t.Errorf("the connections are %+v", again)
		}
		if _, err := d.Calendars.Disconnect(t.Context(), d.account, all[0].ID); err != nil {
			t.Fatal(err)
		}
		d.Settle()
		if atWork, atHome := titles(t, work), titles(t, home); len(atWork) != 0 || len(atHome) != 1 {
			t.Errorf("at work are %q, at home %q", atWork, atHome)
		}
	})
}

// Connecting another account does not stop the removal of entries from the first.
func TestAnotherAccountWhileEntriesAreRemoved(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *testService) {
		const private = "ada@home.example"
		work, home := calendartest.NewMicrosoft(t, owner), calendartest.NewMicrosoft(t, private)
		d.offer(mirror.Microsoft, work, home)
		d.consent(mirror.Microsoft, owner)
		d.plan("Review", "")
		d.Settle()
		if _, err := d.Calendars.Disconnect(t.Context(), d.account, d.only().ID); err != nil {
			t.Fatal(err)
		}
		d.consent(mirror.Microsoft, private)
		d.Settle()
		if atWork, atHome := titles(t, work), titles(t, home); len(atWork) != 0 || len(atHome) != 1 {
			t.Errorf("at work are %q, at home %q", atWork, atHome)
		}
		if c := d.only(); c.Name != private {
			t.Errorf("the connection is %+v", c)
		}
	})
}

package feed_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// person is a signed-in person.
type person struct {
	*servertest.Service

	t      *testing.T
	cookie string
}

func signIn(t *testing.T, s *servertest.Service, email string) person {
	t.Helper()
	invitation, err := s.Identity.Invite(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	_, secret, _ := strings.Cut(invitation.URL, "#")
	_, token, err := s.Identity.Accept(t.Context(), secret, "Somebody", "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	return person{Service: s, t: t, cookie: identity.SessionCookie(servertest.PublicURL) + "=" + token}
}

// asks sends a request as the person.
func (p person) asks(method, path, body string) servertest.Answer {
	p.t.Helper()
	return p.Send(servertest.Request{Method: method, Path: path, Body: body, Header: http.Header{"Cookie": {p.cookie}}})
}

// address requests the address of the person's feed, and returns its path.
func (p person) address(method, path string) string {
	p.t.Helper()
	body := ""
	if method == http.MethodPost {
		body = "{}"
	}
	a := p.asks(method, "/account/v1"+path, body)
	var feed struct{ Address *string }
	if err := json.Unmarshal(a.Body, &feed); err != nil || a.Status != http.StatusOK {
		p.t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
	if feed.Address == nil {
		return ""
	}
	return strings.TrimPrefix(*feed.Address, servertest.PublicURL)
}

// plan schedules a meeting with a key and returns its id.
func plan(t *testing.T, s *servertest.Service, key, title string, starts time.Time, more string) string {
	t.Helper()
	a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/meetings", Bearer: key, Body: fmt.Sprintf(
		`{"title": %q, "starts_at": %q, "ends_at": %q%s}`, title, starts.Format(time.RFC3339), starts.Add(time.Hour).Format(time.RFC3339), more)})
	var m api.Meeting
	if err := json.Unmarshal(a.Body, &m); err != nil || a.Status != http.StatusCreated {
		t.Fatalf("schedule: %d %s", a.Status, a.Body)
	}
	return m.ID
}

func each(t *testing.T, o servertest.Options, test func(t *testing.T, s *servertest.Service)) {
	t.Helper()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) { test(t, servertest.Start(t, where, o)) })
}

// titles returns the titles of the events in a feed, in order.
func titles(text string) (all []string) {
	for _, line := range strings.Split(text, "\r\n") {
		if title, ok := strings.CutPrefix(line, "SUMMARY:"); ok {
			all = append(all, title)
		}
	}
	return all
}

// A feed shows the meetings of the person's workspaces, from thirty days ago on, soonest
// first.
func TestAFeedShowsTheMeetings(t *testing.T) {
	t.Parallel()
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		acme, other := s.Workspace("acme", "ada@acme.example"), s.Workspace("other", "eve@other.example")
		if _, err := s.Identity.AddMember(t.Context(), acme, "bob@acme.example", "member"); err != nil {
			t.Fatal(err)
		}
		key, theirs := s.Key(acme, api.Scopes()...), s.Key(other, api.Scopes()...)
		now := s.Now()
		plan(t, s, key, "Coming", now.Add(48*time.Hour), "")
		plan(t, s, key, "Every day", now.Add(-1000*24*time.Hour), `, "recurrence": "daily"`)
		plan(t, s, key, "Just within", now.Add(-30*24*time.Hour-time.Hour+time.Second), "")
		plan(t, s, key, "Just too old", now.Add(-30*24*time.Hour-time.Hour), "")
		plan(t, s, key, "Too far ahead", now.Add(366*24*time.Hour), "")
		plan(t, s, theirs, "Of another workspace", now.Add(48*time.Hour), "")
		gone := plan(t, s, key, "Cancelled", now.Add(48*time.Hour), "")
		s.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/meetings/" + gone, Bearer: key})
		bob := signIn(t, s, "bob@acme.example")
		if address := bob.address(http.MethodGet, "/calendar-feed"); address != "" {
			t.Errorf("before anybody asked for it the address is %q", address)
		}
		address := bob.address(http.MethodPost, "/calendar-feed/reset")
		if again := bob.address(http.MethodGet, "/calendar-feed"); again != address {
			t.Errorf("the address is %q, then %q", address, again)
		}
		a := s.Send(servertest.Request{Method: http.MethodGet, Path: address})
		if got := strings.Join(titles(string(a.Body)), ", "); a.Status != http.StatusOK || got != "Just within, Every day, Coming" {
			t.Errorf("the feed is %d with %s", a.Status, got)
		}
		if kind := a.Header.Get("Content-Type"); kind != "text/calendar; charset=utf-8" {
			t.Errorf("the type of the feed is %q", kind)
		}
	})
}

// A program that has the current feed gets the answer that nothing changed.
func TestAFeedThatHasNotChanged(t *testing.T) {
	t.Parallel()
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		key := s.Key(s.Workspace("acme", "ada@acme.example"), api.Scopes()...)
		address := signIn(t, s, "ada@acme.example").address(http.MethodPost, "/calendar-feed/reset")
		get := func(tag string) servertest.Answer {
			return s.Send(servertest.Request{Method: http.MethodGet, Path: address, Header: http.Header{"If-None-Match": {tag}}})
		}
		first := get(`"x"`)
		tag := first.Header.Get("ETag")
		if first.Status != http.StatusOK || tag == "" {
			t.Fatalf("%d, ETag %q", first.Status, tag)
		}
		s.Advance(time.Minute)
		if again := get(tag); again.Status != http.StatusNotModified || len(again.Body) > 0 {
			t.Errorf("unchanged, it is %d %s", again.Status, again.Body)
		}
		plan(t, s, key, "New", s.Now().Add(time.Hour), "")
		if changed := get(tag); changed.Status != http.StatusOK || changed.Header.Get("ETag") == tag {
			t.Errorf("changed, it is %d with the ETag %q", changed.Status, changed.Header.Get("ETag"))
		}
	})
}

// After a reset the old address is unknown, like every address that never existed.
func TestAnAddressIsUnknownAfterAReset(t *testing.T) {
	t.Parallel()
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		s.Workspace("acme", "ada@acme.example")
		ada := signIn(t, s, "ada@acme.example")
		old := ada.address(http.MethodPost, "/calendar-feed/reset")
		fresh := ada.address(http.MethodPost, "/calendar-feed/reset")
		for path, want := range map[string]int{
			fresh: http.StatusOK, old: http.StatusNotFound, strings.TrimSuffix(fresh, ".ics"): http.StatusNotFound, "/calendar/.ics": http.StatusNotFound,
			"/calendar/": http.StatusNotFound, "/calendar/" + strings.Repeat("x", 1000) + ".ics": http.StatusNotFound,
		} {
			if a := s.Send(servertest.Request{Method: http.MethodGet, Path: path}); a.Status != want {
				t.Errorf("%s: %d, want %d", path, a.Status, want)
			}
		}
		if a := s.Send(servertest.Request{Method: http.MethodPost, Path: fresh, Body: "{}"}); a.Status != http.StatusMethodNotAllowed || a.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("POST: %d, Allow %q", a.Status, a.Header.Get("Allow"))
		}
	})
}

// The database does not contain the secret in plain text.
func TestTheSecretIsNotStored(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		s.Workspace("acme", "ada@acme.example")
		address := signIn(t, s, "ada@acme.example").address(http.MethodPost, "/calendar-feed/reset")
		secret := strings.TrimSuffix(strings.TrimPrefix(address, "/calendar/"), ".ics")
		if len(secret) != 43 || strings.Contains(string(dbtest.Stored(t, where)), secret) {
			t.Errorf("the secret %q is in the database", secret)
		}
	})
}

// A feed can be requested thirty times a minute, even when its address is reset
// meanwhile. One address can make sixty guesses; after that, existing feeds are still
// answered there.
func TestLimitsOfFeeds(t *testing.T) {
	t.Parallel()
	each(t, servertest.Options{RateLimits: true}, func(t *testing.T, s *servertest.Service) {
		acme := s.Workspace("acme", "ada@acme.example")
		ada := signIn(t, s, "ada@acme.example")
		address := ada.address(http.MethodPost, "/calendar-feed/reset")
		for i := range 31 {
			want := http.StatusOK
			if i == 30 {
				want = http.StatusTooManyRequests
			}
			if a := s.Send(servertest.Request{Method: http.MethodGet, Path: address}); a.Status != want || want != http.StatusOK && a.Header.Get("Retry-After") == "" {
				t.Fatalf("request %d: %d, Retry-After %q", i+1, a.Status, a.Header.Get("Retry-After"))
			}
		}
		for i := range 61 {
			want := http.StatusNotFound
			if i == 60 {
				want = http.StatusTooManyRequests
			}
			if a := s.Send(servertest.Request{Method: http.MethodGet, Path: fmt.Sprintf("/calendar/%d.ics", i)}); a.Status != want {
				t.Fatalf("guess %d: %d", i+1, a.Status)
			}
		}
		address = ada.address(http.MethodPost, "/calendar-feed/reset")
		if a := s.Send(servertest.Request{Method: http.MethodGet, Path: address}); a.Status != http.StatusTooManyRequests {
			t.Errorf("request 31, of the new address: %d", a.Status)
		}
		if _, err := s.Identity.AddMember(t.Context(), acme, "bob@acme.example", "member"); err != nil {
			t.Fatal(err)
		}
		bob := signIn(t, s, "bob@acme.example").address(http.MethodPost, "/calendar-feed/reset")
		if a := s.Send(servertest.Request{Method: http.MethodGet, Path: bob}); a.Status != http.StatusOK {
			t.Errorf("a feed that is there, after too many guesses: %d", a.Status)
		}
	})
}

// Only members of its workspace get a meeting as a file.
func TestOnlyMembersGetAMeetingAsAFile(t *testing.T) {
	t.Parallel()
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		acme := s.Workspace("acme", "ada@acme.example")
		s.Workspace("other", "eve@other.example")
		key := s.Key(acme, api.Scopes()...)
		m := plan(t, s, key, "Review", s.Now().Add(time.Hour), "")
		ada, eve := signIn(t, s, "ada@acme.example"), signIn(t, s, "eve@other.example")
		path := "/account/v1/meetings/" + m + "/calendar.ics"
		a := ada.asks(http.MethodGet, path, "")
		if got := titles(string(a.Body)); a.Status != http.StatusOK || len(got) != 1 || got[0] != "Review" ||
			!strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("the file is %d %s", a.Status, a.Body)
		}
		if a := eve.asks(http.MethodGet, path, ""); a.Code() != api.CodeNotFound {
			t.Errorf("somebody of another workspace: %d %s", a.Status, a.Body)
		}
		if a := s.Send(servertest.Request{Method: http.MethodGet, Path: path}); a.Code() != api.CodeSignInRequired {
			t.Errorf("nobody: %d %s", a.Status, a.Body)
		}
		s.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/meetings/" + m, Bearer: key})
		if a := ada.asks(http.MethodGet, path, ""); a.Code() != api.CodeNotFound {
			t.Errorf("cancelled: %d %s", a.Status, a.Body)
		}
	})
}

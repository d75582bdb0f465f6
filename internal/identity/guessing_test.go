package identity_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Guesses of one password from many networks are slowed down. They do not stop
// the account's owner from signing in on a device they have used before.
func TestGuessesFromManyNetworksLockNoOwnerOut(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{RateLimits: true})
		s.Workspace("acme", "ada@acme.example")
		invitation, err := s.Identity.Invite(t.Context(), "ada@acme.example")
		if err != nil {
			t.Fatal(err)
		}
		post := func(path, body, from, cookie string) servertest.Answer {
			return s.Send(servertest.Request{
				Method: http.MethodPost, Path: "/account/v1" + path, Body: body, Header: http.Header{"X-Forwarded-For": {from}, "Cookie": {cookie}},
			})
		}
		_, secret, _ := strings.Cut(invitation.URL, "#")
		accepted := post("/invitations/accept", `{"secret": "`+secret+`", "name": "Ada", "password": "correct horse"}`, "203.0.113.1", "")
		device := ""
		for _, line := range accepted.Header.Values("Set-Cookie") {
			if strings.HasPrefix(line, "__Host-conclave_device=") {
				device, _, _ = strings.Cut(line, ";")
			}
		}
		if accepted.Status != http.StatusOK || device == "" {
			t.Fatalf("%d %s, cookies %q", accepted.Status, accepted.Body, accepted.Header.Values("Set-Cookie"))
		}
		guess := func(from, cookie string) servertest.Answer {
			return post("/sign-in", `{"email": "ada@acme.example", "password": "wrong guess"}`, from, cookie)
		}
		right := func(from, cookie string) servertest.Answer {
			return post("/sign-in", `{"email": "ada@acme.example", "password": "correct horse"}`, from, cookie)
		}
		for i := range 100 {
			if a := guess(fmt.Sprintf("198.51.100.%d", i/10+1), ""); a.Code() != api.CodeSignInFailed {
				t.Fatalf("guess %d got %d %s", i+1, a.Status, a.Body)
			}
		}
		if a := right("198.51.100.200", ""); a.Status != http.StatusTooManyRequests ||
			a.Refusal().Message != "At most 100 tries of one account's password from new devices are allowed in an hour. Try again in an hour." {
			t.Errorf("try 101 from new devices got %d %s", a.Status, a.Body)
		}
		if a := right("198.51.100.201", device); a.Status != http.StatusOK {
			t.Errorf("the owner's own device got %d %s", a.Status, a.Body)
		}
		// The device has a limit of its own, wherever it is.
		for i := range 9 {
			if a := guess(fmt.Sprintf("203.0.113.%d", i+2), device); a.Code() != api.CodeSignInFailed {
				t.Fatalf("a wrong try on the owner's device got %d %s", a.Status, a.Body)
			}
		}
		if a := right("203.0.113.100", device); a.Code() != api.CodeRateLimited {
			t.Errorf("try 11 of a device got %d %s", a.Status, a.Body)
		}
		s.Pass(time.Hour)
		if a := right("198.51.100.200", ""); a.Status != http.StatusOK {
			t.Errorf("an hour later a new device got %d %s", a.Status, a.Body)
		}
	})
}

// Somebody who knew the password could have signed in on many devices, each with tries
// of its own. After a change of the password they have those of one stranger. The
// browser that changed it stays known.
func TestANewPasswordMakesDevicesNew(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{RateLimits: true})
		s.Workspace("acme", "ada@acme.example")
		invitation, err := s.Identity.Invite(t.Context(), "ada@acme.example")
		if err != nil {
			t.Fatal(err)
		}
		// post sends a request, and returns the cookies that the answer sets.
		post := func(path, body, from, cookies string) (a servertest.Answer, set string) {
			a = s.Send(servertest.Request{
				Method: http.MethodPost, Path: "/account/v1" + path, Body: body, Header: http.Header{"X-Forwarded-For": {from}, "Cookie": {cookies}},
			})
			for _, line := range a.Header.Values("Set-Cookie") {
				cookie, _, _ := strings.Cut(line, ";")
				set += cookie + "; "
			}
			return a, strings.TrimSuffix(set, "; ")
		}
		signIn := func(password, from, cookies string) (servertest.Answer, string) {
			return post("/sign-in", `{"email": "ada@acme.example", "password": "`+password+`"}`, from, cookies)
		}
		_, secret, _ := strings.Cut(invitation.URL, "#")
		_, ours := post("/invitations/accept", `{"secret": "`+secret+`", "name": "Ada", "password": "correct horse"}`, "203.0.113.1", "")
		_, first := signIn("correct horse", "198.51.100.1", "")
		_, second := signIn("correct horse", "198.51.100.1", "")
		changed, known := post("/password", `{"current_password": "correct horse", "new_password": "battery staple"}`, "203.0.113.1", ours)
		if changed.Status != http.StatusOK {
			t.Fatalf("the change got %d %s", changed.Status, changed.Body)
		}
		for i := range 10 {
			if a, _ := signIn("battery horse", "198.51.100.2", first); a.Code() != api.CodeSignInFailed {
				t.Fatalf("guess %d got %d %s", i+1, a.Status, a.Body)
			}
		}
		if a, _ := signIn("battery staple", "198.51.100.2", second); a.Code() != api.CodeRateLimited {
			t.Errorf("the next guess, on another device, got %d %s", a.Status, a.Body)
		}
		if a, _ := signIn("battery staple", "198.51.100.2", known); a.Status != http.StatusOK {
			t.Errorf("the browser that changed the password got %d %s", a.Status, a.Body)
		}
	})
}

// Six hundred people sign in from one address in a minute. Coming back from an
// identity provider does not count as another try.
func TestAnOfficeSignsInFromOneAddress(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{RateLimits: true})
		try := func() servertest.Answer { // a body that is refused counts too, and needs no password hashed
			return s.Send(servertest.Request{Method: http.MethodPost, Path: "/account/v1/sign-in", Body: `{}`})
		}
		for range 3 {
			for i := range 200 {
				if a := try(); a.Status != http.StatusBadRequest {
					t.Fatalf("try %d got %d %s", i+1, a.Status, a.Body)
				}
			}
			s.Pass(11 * time.Second) // 600 in 10 seconds are the limit of everything that needs no credentials
		}
		if a := try(); a.Code() != api.CodeRateLimited || !strings.HasPrefix(a.Refusal().Message, "At most 600 tries to sign in from one address are allowed in a minute.") {
			t.Errorf("try 601 got %d %s", a.Status, a.Body)
		}
		a := s.Send(servertest.Request{Method: http.MethodGet, Path: "/account/v1/oidc/callback"})
		if got := a.Header.Get("RateLimit-Policy"); a.Code() != api.CodeOIDCNotConfigured || got != `"public";q=600;w=10` {
			t.Errorf("coming back from a provider got %d %s, counted in %s", a.Status, a.Body, got)
		}
	})
}

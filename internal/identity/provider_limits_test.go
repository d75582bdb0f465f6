package identity_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// refusingProvider is an identity provider that refuses all codes, and counts them.
func refusingProvider(t *testing.T) (issuer string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	var p *httptest.Server
	p = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/token" {
			asked.Add(1)
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprint(w, `{"error": "invalid_grant"}`)
			return
		}
		_, _ = fmt.Fprintf(w, `{"issuer": %q, "authorization_endpoint": %q, "token_endpoint": %q, "jwks_uri": %q, "token_endpoint_auth_methods_supported": ["client_secret_post"]}`,
			p.URL, p.URL+"/auth", p.URL+"/token", p.URL+"/keys")
	}))
	t.Cleanup(p.Close)
	return p.URL, asked
}

// The service asks the identity provider about every code that somebody brings, and a
// stranger can make codes up. Otherwise they could have the provider refuse the service.
func TestStrangersCannotHaveTheProviderAskedWithoutEnd(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		issuer, asked := refusingProvider(t)
		s := servertest.Start(t, where, servertest.Options{RateLimits: true, OIDCIssuer: issuer})
		get := func(path, from, cookie string) servertest.Answer {
			return s.Send(servertest.Request{Method: http.MethodGet, Path: "/account/v1/oidc" + path, Header: http.Header{"X-Forwarded-For": {from}, "Cookie": {cookie}}})
		}
		start := func(from string) (back, cookie string) {
			a := get("/start", from, "")
			u, err := url.Parse(a.Header.Get("Location"))
			if err != nil || a.Status != http.StatusSeeOther {
				t.Fatalf("start: %d %s", a.Status, a.Body)
			}
			cookie, _, _ = strings.Cut(a.Header.Get("Set-Cookie"), ";")
			return "/callback?code=c&state=" + u.Query().Get("state"), cookie
		}
		expect := func(a servertest.Answer, problem string, count int64) {
			t.Helper()
			if got := a.Header.Get("Location"); got != servertest.PublicURL+"/sign-in#problem="+problem || asked.Load() != count {
				t.Fatalf("%d to %q, the provider was asked %d times; want %s, %d", a.Status, got, asked.Load(), problem, count)
			}
		}
		// One sign-in leads to one request, from wherever.
		back, cookie := start("198.51.100.1")
		expect(get(back, "198.51.100.1", cookie), "oidc_denied", 1)
		expect(get(back, "198.51.100.2", cookie), "oidc_expired", 1)
		s.Pass(10 * time.Minute)
		// One network returns 240 times in a minute.
		for i := range 240 {
			back, cookie = start("198.51.100.3")
			expect(get(back, "198.51.100.3", cookie), "oidc_denied", int64(i+2))
			s.Pass(20 * time.Millisecond) // the limit of public requests
		}
		back, cookie = start("198.51.100.3")
		if a := get(back, "198.51.100.3", cookie); a.Code() != api.CodeRateLimited || asked.Load() != 241 {
			t.Fatalf("return 241 of one network got %d %s", a.Status, a.Body)
		}
		expect(get(back, "198.51.100.4", cookie), "oidc_denied", 242)
		// All networks together 1,200 times.
		for i := 241; i < 1200; i++ {
			from := fmt.Sprintf("203.0.113.%d", i/100)
			back, cookie = start(from)
			expect(get(back, from, cookie), "oidc_denied", int64(i+2))
			s.Pass(20 * time.Millisecond)
		}
		back, cookie = start("203.0.113.99")
		expect(get(back, "203.0.113.99", cookie), "oidc_unavailable", 1201)
		s.Pass(time.Minute)
		back, cookie = start("203.0.113.99")
		expect(get(back, "203.0.113.99", cookie), "oidc_denied", 1202)
	})
}

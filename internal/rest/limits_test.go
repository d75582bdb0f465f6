package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

// clocked is a padServer whose clock the test moves.
func clocked(t *testing.T, change func(*Config)) (w *padServer, pass func(time.Duration)) {
	t.Helper()
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	w = newPadServer(t, func(c *Config) {
		c.Now = func() time.Time { return now }
		if change != nil {
			change(c)
		}
	})
	return w, func(d time.Duration) { now = now.Add(d) }
}

func TestAHundredRequestsInFiveSeconds(t *testing.T) {
	t.Parallel()
	w, pass := clocked(t, nil)
	for i := range 100 {
		res := w.call(t, "GET", "/api/v1/me", "")
		want := fmt.Sprintf(`"requests";r=%d;t=`, 99-i)
		if got := res.Header.Get("RateLimit"); res.StatusCode != http.StatusOK || got[:len(want)] != want {
			t.Fatalf("request %d: %d, RateLimit %s, want %s", i+1, res.StatusCode, got, want)
		}
		if got := res.Header.Get("RateLimit-Policy"); got != `"requests";q=100;w=5` {
			t.Fatalf("RateLimit-Policy %s", got)
		}
		pass(10 * time.Millisecond)
	}
	// The 101st request and all later ones, for any operation.
	for _, path := range []string{"/api/v1/me", "/api/v1/pads?limit=x"} {
		res := w.call(t, "GET", path, "")
		e := refusalOf(t, res)
		if res.StatusCode != http.StatusTooManyRequests || e.RetryAfter != 5 || res.Header.Get("Retry-After") != "5" ||
			e.Message != "At most 100 requests are allowed in 5 seconds. Try again in 5 seconds." {
			t.Fatalf("past the limit: %d %+v, Retry-After %q", res.StatusCode, e, res.Header.Get("Retry-After"))
		}
	}
	if res := w.call(t, "GET", "/api/v1/me", "", "Authorization", "Bearer other"); res.StatusCode != http.StatusOK {
		t.Errorf("another key: %d", res.StatusCode)
	}
	if res := w.call(t, "GET", "/api/v1/nothing", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown path: %d; routes are checked first", res.StatusCode)
	}
	pass(5 * time.Second)
	if res := w.call(t, "GET", "/api/v1/me", ""); res.StatusCode != http.StatusOK {
		t.Errorf("after Retry-After: %d", res.StatusCode)
	}
}

// Operations without credentials are limited per address, even if a request carries
// some: otherwise credentials that are easy to get would lift the limit.
func TestCredentialsDoNotLiftThePublicLimit(t *testing.T) {
	t.Parallel()
	w, pass := clocked(t, func(c *Config) {
		c.Limits = DefaultLimits()
		class := c.Limits.Classes[ClassPublic]
		class.Quota = limit.Quota{Count: 100, Window: 5 * time.Second}
		c.Limits.Classes[ClassPublic] = class
	})
	Handle(w.group, Op{ID: "look", Method: "POST", Path: "/look", Public: true}, func(context.Context, *struct{}) (pad, error) { return aPad(), nil })
	look := func(bearer string) *http.Response {
		return w.call(t, "POST", "/api/v1/look", "", "Authorization", bearer)
	}
	bearers := []string{"Bearer all", "Bearer other", "Bearer nobody", ""}
	for i := range 100 {
		if res := look(bearers[i%len(bearers)]); res.StatusCode != http.StatusOK {
			t.Fatalf("request %d: %d", i+1, res.StatusCode)
		}
		pass(10 * time.Millisecond)
	}
	for _, bearer := range bearers {
		if res := look(bearer); res.StatusCode != http.StatusTooManyRequests ||
			refusalOf(t, res).Message != "At most 100 requests from one address are allowed in 5 seconds. Try again in 5 seconds." {
			t.Errorf("request 101 with %q: %d", bearer, res.StatusCode)
		}
	}
	if res := w.call(t, "GET", "/api/v1/me", ""); res.StatusCode != http.StatusOK { // as "all"
		t.Errorf("with a key, where one is needed: %d", res.StatusCode)
	} else if got := res.Header.Get("RateLimit"); got != `"requests";r=74;t=5` {
		t.Errorf("a request with a key counts for the key too, but RateLimit says %s", got)
	}
}

func TestClassesOfLimits(t *testing.T) {
	t.Parallel()
	small := func(c *Config) {
		c.Limits = DefaultLimits()
		for _, name := range []string{"tokens", "announcements"} {
			class := c.Limits.Classes[name]
			class.Count = 2
			c.Limits.Classes[name] = class
		}
	}
	w, _ := clocked(t, small)
	post := func(path, key string) *http.Response {
		return w.call(t, "POST", path, "", "Authorization", "Bearer "+key)
	}
	post("/api/v1/tokens", "all")
	res := post("/api/v1/tokens", "all")
	if got := res.Header.Get("RateLimit-Policy"); got != `"requests";q=100;w=5, "tokens";q=2;w=60` {
		t.Errorf("RateLimit-Policy %s", got)
	}
	if got := res.Header.Get("RateLimit"); got != `"requests";r=98;t=5, "tokens";r=0;t=60` {
		t.Errorf("RateLimit %s", got)
	}
	if res := post("/api/v1/tokens", "all"); res.StatusCode != http.StatusTooManyRequests ||
		refusalOf(t, res).Message != "At most 2 tokens and join links are allowed in a minute. Try again in a minute." {
		t.Errorf("the third token: %d", res.StatusCode)
	}
	if res := w.call(t, "GET", "/api/v1/me", ""); res.StatusCode != http.StatusOK {
		t.Errorf("other operations are not concerned: %d", res.StatusCode)
	}
	// Announcements count per room, for all members of the workspace.
	for i, step := range []struct {
		room, key string
		status    int
	}{{"a", "all", 200}, {"a", "all", 200}, {"a", "all", 429}, {"b", "all", 200}, {"a", "other", 200}} {
		if res := post("/api/v1/pads/"+step.room+"/announce", step.key); res.StatusCode != step.status {
			t.Errorf("announcement %d: %d, want %d", i+1, res.StatusCode, step.status)
		}
	}
}

func TestLimitsCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	one := map[string]Class{ClassRequests: {Quota: limit.Quota{Count: 1, Window: time.Second}, Per: PerCaller, What: "requests"}}
	for _, limits := range []Limits{{Off: true, Classes: one}, {Classes: map[string]Class{}}} {
		w, _ := clocked(t, func(c *Config) { c.Limits = limits })
		for range 3 {
			res := w.call(t, "GET", "/api/v1/me", "")
			if res.StatusCode != http.StatusOK || res.Header.Get("RateLimit") != "" {
				t.Errorf("%d, RateLimit %q", res.StatusCode, res.Header.Get("RateLimit"))
			}
		}
	}
}

func TestFailedAuthentication(t *testing.T) {
	t.Parallel()
	w, pass := clocked(t, func(c *Config) {
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // httptest's caller
	})
	try := func(address, key string) int {
		return w.call(t, "GET", "/api/v1/me", "", "Authorization", "Bearer "+key, "X-Forwarded-For", address).StatusCode
	}
	for i := range 60 {
		if got := try(fmt.Sprintf("2001:db8:0:1::%x", i+1), "nobody"); got != http.StatusUnauthorized {
			t.Fatalf("attempt %d: %d", i+1, got)
		}
	}
	if got := try("2001:db8:0:1:ffff::1", "nobody"); got != http.StatusTooManyRequests {
		t.Errorf("attempt 61 of the same /64: %d, want 429", got)
	}
	if got := try("2001:db8:0:1::1", ""); got != http.StatusTooManyRequests {
		t.Errorf("an attempt without a key: %d, want 429", got)
	}
	if got := try("2001:db8:0:2::1", "nobody"); got != http.StatusUnauthorized {
		t.Errorf("the next /64: %d, want 401", got)
	}
	if got := try("2001:db8:0:1::1", "all"); got != http.StatusOK {
		t.Errorf("a key that works, from the same network: %d, want 200", got)
	}
	pass(time.Minute)
	if got := try("2001:db8:0:1::1", "nobody"); got != http.StatusUnauthorized {
		t.Errorf("a minute later: %d, want 401", got)
	}
}

func TestClientAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ peer, forwarded, want string }{
		{"203.0.113.9:1", "", "203.0.113.9"},
		{"203.0.113.9:1", "198.51.100.1", "203.0.113.9"}, // not a trusted proxy, so its header is ignored
		{"10.0.0.1:1", "198.51.100.1", "198.51.100.1"},
		{"10.0.0.1:1", "1.2.3.4, 198.51.100.1", "198.51.100.1"},
		{"10.0.0.1:1", "1.2.3.4, 198.51.100.1, 10.0.0.2", "198.51.100.1"},
		{"10.0.0.1:1", "junk", "10.0.0.1"},
		{"10.0.0.1:1", "", "10.0.0.1"},
		{"[::ffff:10.0.0.1]:1", "::ffff:198.51.100.1", "198.51.100.1"},
		{"[2001:db8::1]:1", "", "2001:db8::1"},
	} {
		e := New(Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Now: time.Now})
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", http.NoBody)
		r.RemoteAddr = test.peer
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if got := e.ClientAddress(r).String(); got != test.want {
			t.Errorf("from %s, forwarded for %q: %s, want %s", test.peer, test.forwarded, got, test.want)
		}
	}
}

func TestNothingIsRefusedWhenTheLimiterFails(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, func(c *Config) { c.Limiter = broken{} })
	if res := w.call(t, "GET", "/api/v1/me", ""); res.StatusCode != http.StatusOK {
		t.Errorf("%d %s", res.StatusCode, api.CodeRateLimited)
	}
}

type broken struct{}

func (broken) Take(context.Context, string, limit.Quota, int) (limit.Decision, error) {
	return limit.Decision{}, errors.New("no database")
}

func (broken) Look(context.Context, string, limit.Quota) (limit.Decision, error) {
	return limit.Decision{}, errors.New("no database")
}
func (broken) Sweep(context.Context) error { return errors.New("no database") }

func TestParseLimits(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "on"} {
		if got, err := ParseLimits(text); err != nil || got.Off || fmt.Sprint(got) != fmt.Sprint(DefaultLimits()) {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
	if got, err := ParseLimits("off"); err != nil || !got.Off {
		t.Errorf("off: %+v %v", got, err)
	}
	got, err := ParseLimits("tokens=1200/1m, requests=1/1s,webhook_test=off")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]limit.Quota{
		"tokens": {Count: 1200, Window: time.Minute}, "requests": {Count: 1, Window: time.Second}, "webhook_test": {},
		"announcements": {Count: 10, Window: time.Minute},
	} {
		if got.Classes[name].Quota != want || got.Classes[name].What != DefaultLimits().Classes[name].What {
			t.Errorf("%s: %+v, want %+v", name, got.Classes[name], want)
		}
	}
	for _, text := range []string{"no", "toke=1/1m", "tokens", "tokens=", "tokens=0/1m", "tokens=-1/1m", "tokens=1", "tokens=1/0s", "tokens=1/999ms", "tokens=1/m", "tokens=1/1m,"} {
		if got, err := ParseLimits(text); err == nil {
			t.Errorf("%q was read as %+v", text, got)
		}
	}
}

func TestCountOutsideOfOperations(t *testing.T) {
	t.Parallel()
	w, pass := clocked(t, nil)
	from := func(address string) *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/rtc", http.NoBody)
		r.RemoteAddr = address
		return r
	}
	one, neighbour, other := from("[2001:db8::1]:1"), from("[2001:db8::2]:2"), from("198.51.100.7:3")
	for range 120 {
		if wait := w.Wait(one, ClassRefusedMedia); wait != 0 {
			t.Fatalf("told to wait %v within the limit", wait)
		}
		w.Count(one, ClassRefusedMedia)
	}
	if got := w.Wait(neighbour, ClassRefusedMedia); got != time.Minute {
		t.Errorf("past the limit, in the same network: wait %v, want a minute", got)
	}
	if got := w.Wait(other, ClassRefusedMedia); got != 0 {
		t.Errorf("from elsewhere: wait %v", got)
	}
	pass(time.Minute)
	if got := w.Wait(one, ClassRefusedMedia); got != 0 {
		t.Errorf("a minute later: wait %v", got)
	}

	for name, change := range map[string]func(*Config){
		"limits off":      func(c *Config) { c.Limits = Limits{Off: true} },
		"counting broken": func(c *Config) { c.Limiter = broken{} },
	} {
		w := newPadServer(t, change)
		for range 121 {
			w.Count(one, ClassRefusedMedia)
		}
		if got := w.Wait(one, ClassRefusedMedia); got != 0 {
			t.Errorf("%s: wait %v", name, got)
		}
	}
}

package join_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// A key makes 600 tokens and join links in a minute, as docs/reference/rate-limits.md
// says. Both count in one quota, and another key has its own.
func TestAKeyMakesSixHundredTokensAndLinksInAMinute(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{RateLimits: true})
		workspace := s.Workspace("acme", "owner@acme.example")
		key, other := s.Key(workspace, api.Scopes()...), s.Key(workspace, api.Scopes()...)
		made := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Weekly"}`})
		if made.Status != http.StatusCreated {
			t.Fatalf("make a room: %d %s", made.Status, made.Body)
		}
		address := made.Header.Get("Location")
		makeOne := func(what, key string) servertest.Answer {
			s.Pass(75 * time.Millisecond) // 100 in five seconds are the limit of all requests of a key
			return s.Send(servertest.Request{Method: http.MethodPost, Path: address + what, Bearer: key, Body: `{"name": "Ada"}`})
		}
		both := []string{"/tokens", "/join-links"}
		for i := range 600 {
			what := both[i%2]
			a := makeOne(what, key)
			left := fmt.Sprintf(`"tokens";r=%d;`, 599-i)
			if policy := a.Header.Get("RateLimit-Policy"); a.Status != http.StatusCreated || policy != `"requests";q=100;w=5, "tokens";q=600;w=60` ||
				!strings.Contains(a.Header.Get("RateLimit"), left) {
				t.Fatalf("%s, number %d: %d %s; RateLimit-Policy %s, RateLimit %s, want %s", what, i+1, a.Status, a.Code(), policy, a.Header.Get("RateLimit"), left)
			}
		}
		for _, what := range both {
			a := makeOne(what, key)
			if a.Status != http.StatusTooManyRequests || !strings.HasPrefix(a.Refusal().Message, "At most 600 tokens and join links are allowed in a minute.") {
				t.Errorf("%s, past the limit: %d %s", what, a.Status, a.Body)
			}
			if a := makeOne(what, other); a.Status != http.StatusCreated {
				t.Errorf("%s of another key: %d %s", what, a.Status, a.Body)
			}
		}
		wait, err := strconv.Atoi(makeOne(both[0], key).Header.Get("Retry-After"))
		if err != nil {
			t.Fatal(err)
		}
		s.Pass(time.Duration(wait) * time.Second)
		if a := makeOne(both[0], key); a.Status != http.StatusCreated {
			t.Errorf("after Retry-After: %d %s", a.Status, a.Body)
		}
	})
}

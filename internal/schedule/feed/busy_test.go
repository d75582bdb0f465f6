package feed_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
	"github.com/conclave-rooms/conclave/internal/schedule/feed"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// One feed of an account is written at a time, and a limited number altogether. A request
// that would have to wait too long is refused; the others get their feeds.
func TestFeedsAreWrittenInTurns(t *testing.T) {
	t.Parallel()
	const atOnce = 2
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{})
	acme := s.Workspace("acme", "ada@acme.example")
	addresses := []string{signIn(t, s, "ada@acme.example").address(http.MethodPost, "/calendar-feed/reset")}
	for _, name := range []string{"bob", "eve"} {
		if _, err := s.Identity.AddMember(t.Context(), acme, name+"@acme.example", "member"); err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, signIn(t, s, name+"@acme.example").address(http.MethodPost, "/calendar-feed/reset"))
	}
	ada, bob, eve := addresses[0], addresses[1], addresses[2]
	// Writing a feed reads the clock, so the clock tells when one is being written.
	writing, release := make(chan struct{}, 10), make(chan struct{})
	now := s.Feeds.Now
	s.Feeds.Now = func() time.Time {
		writing <- struct{}{}
		<-release
		return now()
	}
	handler := func(patience time.Duration, ofAccount, ofAll *limit.Turns) *feed.Handler {
		return &feed.Handler{
			Feeds: s.Feeds, Logger: slog.New(slog.DiscardHandler), Count: func(*http.Request, string) time.Duration { return 0 },
			Guessed: func(*http.Request) {}, Wait: func(*http.Request) time.Duration { return 0 },
			OfAccount: ofAccount, OfAll: ofAll, Patience: patience,
		}
	}
	get := func(h http.Handler, address string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))
		return w
	}
	ofAccount, ofAll := limit.NewTurns(feed.AtOnceOfAccount), limit.NewTurns(atOnce)
	patient, hasty := handler(time.Hour, ofAccount, ofAll), handler(time.Millisecond, ofAccount, ofAll)
	var all sync.WaitGroup
	begin := func(address string) {
		all.Go(func() {
			if w := get(patient, address); w.Code != http.StatusOK {
				t.Errorf("a feed that waited for its turn: %d %s", w.Code, w.Body)
			}
		})
	}
	refused := func(who, address string) {
		t.Helper()
		if w := get(hasty, address); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "30" {
			t.Errorf("%s: %d, Retry-After %q", who, w.Code, w.Header().Get("Retry-After"))
		}
	}
	begin(ada)
	<-writing
	refused("a second one of the same account", ada)
	begin(bob)
	<-writing
	refused("a third one", eve)
	begin(eve)
	begin(ada)
	close(release)
	all.Wait()
	if w := get(hasty, ada); w.Code != http.StatusOK {
		t.Errorf("afterwards: %d %s", w.Code, w.Body)
	}
}

// BenchmarkFeed measures a request of a feed of 1,000 weekly meetings.
func BenchmarkFeed(b *testing.B) {
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		b.Run(string(engine), func(b *testing.B) {
			s := servertest.Start(b, dbtest.Config(b, engine), servertest.Options{})
			acme := s.Workspace("acme", "ada@acme.example")
			key := s.Key(acme, api.Scopes()...)
			for i := range 1000 {
				s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/meetings", Bearer: key, Body: fmt.Sprintf(
					`{"title": "Meeting %d", "description": "Numbers; then, plans.", "starts_at": "2026-11-23T10:00:00Z", "ends_at": "2026-11-23T11:00:00Z", "recurrence": "weekly", "timezone": "Europe/Berlin"}`, i)})
			}
			a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/account/v1/calendar-feed/reset", Body: "{}", Header: servertest.InSession(s.SignIn("ada@acme.example", "Ada"), acme)})
			var address struct{ Address string }
			if err := json.Unmarshal(a.Body, &address); err != nil {
				b.Fatalf("%v: %s", err, a.Body)
			}
			path := address.Address[len(servertest.PublicURL):]
			for b.Loop() {
				if a := s.Send(servertest.Request{Method: http.MethodGet, Path: path}); a.Status != http.StatusOK || len(titles(string(a.Body))) != 1000 {
					b.Fatalf("%d %s", a.Status, a.Body)
				}
			}
		})
	}
}

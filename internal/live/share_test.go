package live_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/live"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// In a round, a node compares the rooms that it takes, and those about which it was told
// something that no other node knows. Somebody who said goodbye is such a thing.
func TestANodeComparesItsShareOfTheRooms(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		post := func(path, bearer, body string, out any) {
			t.Helper()
			a := s.Send(servertest.Request{Method: http.MethodPost, Path: path, Bearer: bearer, Body: body})
			if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
				t.Fatalf("%s: %d %s", path, a.Status, a.Body)
			}
		}
		rooms := map[string]api.Room{}
		for _, name := range []string{"mine", "other"} {
			var (
				made api.Room
				held struct{ Token string }
			)
			post("/api/v1/rooms", key, fmt.Sprintf(`{"name": %q}`, name), &made)
			post("/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": "Ada"}`, made.Code), &held)
			upstream, _, err := s.Joins.LetThrough(t.Context(), held.Token)
			if err == nil {
				_, err = s.Media.Connect(upstream)
			}
			if err != nil {
				t.Fatal(err)
			}
			s.Settle()
			rooms[name] = made
		}
		s.Tick() // both meetings run, and no hint is left

		var (
			mu       sync.Mutex
			asked    []int
			compared int
		)
		s.Live.Takes = func(roomID string, round int) bool {
			mu.Lock()
			defer mu.Unlock()
			asked = append(asked, round)
			return roomID == rooms["mine"].ID
		}
		s.Live.OnCompared = func(live.Compared) {
			mu.Lock()
			defer mu.Unlock()
			compared++
		}
		compares := func(when string, want int) {
			t.Helper()
			mu.Lock()
			asked, compared = nil, 0
			mu.Unlock()
			s.Live.TickShare(t.Context(), 7)
			s.Settle()
			mu.Lock()
			defer mu.Unlock()
			if compared != want || slices.ContainsFunc(asked, func(round int) bool { return round != 7 }) {
				t.Errorf("%s it compares %d rooms, want %d; it was asked about the rounds %v", when, compared, want, asked)
			}
		}
		compares("in a round", 1)
		s.Live.Goodbye(rooms["other"].ID, "par_x.1")
		s.Settle()
		compares("after a goodbye", 2)
		s.Advance(time.Minute)
		compares("when the goodbye is old", 1)
		s.Live.Takes = func(string, int) bool { return false }
		compares("when it takes none", 0)
	})
}

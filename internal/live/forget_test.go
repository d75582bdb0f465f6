package live_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Meetings are remembered for thirty days after they ended. A running meeting is
// remembered however long it runs.
func TestOldMeetingsAreForgotten(t *testing.T) {
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
		meet := func(r api.Room) {
			t.Helper()
			var held struct{ Ticket, Token string }
			post("/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": "Ada"}`, r.Code), &held)
			upstream, _, err := s.Joins.LetThrough(t.Context(), held.Token)
			if err == nil {
				_, err = s.Media.Connect(upstream)
			}
			if err != nil {
				t.Fatal(err)
			}
			s.Settle()
		}
		want := func(when string, meetings int) {
			t.Helper()
			s.Forget()
			if n := s.Count("live_meeting"); n != meetings {
				t.Errorf("%s %d meetings are remembered, want %d", when, n, meetings)
			}
		}
		var long, short api.Room
		post("/api/v1/rooms", key, `{"name": "Long"}`, &long)
		post("/api/v1/rooms", key, `{"name": "Short"}`, &short)
		meet(long)
		meet(short)
		post("/api/v1/rooms/"+short.ID+"/end", key, "", &struct{}{})
		s.Advance(30 * 24 * time.Hour)
		want("thirty days after the end", 2)
		s.Advance(time.Second)
		want("a second later", 1)
		if n := s.Count(`live_meeting WHERE room_id = $1 AND ended_at IS NULL`, long.ID); n != 1 {
			t.Errorf("%d meetings run, want 1", n)
		}
	})
}

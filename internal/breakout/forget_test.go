package breakout_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Sessions that are over are kept while the history shows them, and then deleted
// whole. The history is deleted with its room.
func TestOldSessionsAreForgotten(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		ask := func(method, path, bearer, body string, out any) {
			t.Helper()
			a := s.Send(servertest.Request{Method: method, Path: path, Bearer: bearer, Body: body})
			if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
				t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
			}
		}
		var weekly, doomed api.Room
		ask(http.MethodPost, "/api/v1/rooms", key, `{"name": "Weekly"}`, &weekly)
		ask(http.MethodPost, "/api/v1/rooms", key, `{"name": "Doomed"}`, &doomed)
		for _, r := range []api.Room{weekly, doomed} {
			var seat struct{ Ticket, Token string }
			ask(http.MethodPost, "/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": "Ada"}`, r.Code), &seat)
			upstream, _, err := s.Joins.LetThrough(t.Context(), seat.Token)
			if err == nil {
				_, err = s.Media.Connect(upstream)
			}
			if err != nil {
				t.Fatal(err)
			}
			s.Settle()
		}
		// open opens a session with two rooms and one person in one of them.
		open := func(r api.Room) {
			t.Helper()
			ask(http.MethodPost, "/api/v1/rooms/"+r.ID+"/breakouts", key, `{"rooms": 2, "auto_join": false}`, &struct{}{})
			ask(http.MethodPost, "/api/v1/rooms/"+r.ID+"/breakouts/announce", key, `{"message": "Two minutes left"}`, &struct{}{})
		}
		end := func(r api.Room) {
			t.Helper()
			ask(http.MethodPost, "/api/v1/rooms/"+r.ID+"/breakouts/end", key, `{}`, &struct{}{})
			s.Advance(time.Second)
		}
		history := func() (shown api.Breakouts) {
			t.Helper()
			ask(http.MethodGet, "/api/v1/rooms/"+weekly.ID+"/breakouts", key, "", &shown)
			return shown
		}
		// want counts the sessions, and the rows that belong to them.
		want := func(when string, sessions int) {
			t.Helper()
			for table, rows := range map[string]int{"breakout_session": sessions, "breakout": 2 * sessions, "breakout_person": sessions, "breakout_announcement": sessions} {
				if n := s.Count(table); n != rows {
					t.Errorf("%s %s has %d rows, want %d", when, table, n, rows)
				}
			}
		}
		for range 12 {
			open(weekly)
			end(weekly)
		}
		for range 2 {
			open(doomed)
			end(doomed)
		}
		open(weekly)
		before := history()
		want("before", 15)
		s.Forget()
		want("after", 13) // ten, two and the one that runs
		if after := history(); !reflect.DeepEqual(after, before) || len(after.History) != 10 || after.Active == nil {
			t.Errorf("the history shows %+v, and showed %+v before", after, before)
		}
		ask(http.MethodDelete, "/api/v1/rooms/"+doomed.ID, key, "", &struct{}{})
		s.Forget()
		want("once a room is deleted", 11)
	})
}

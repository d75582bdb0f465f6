package breakout_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Customers order events by occurred_at. So a session that ends with its meeting does
// not end later than it, whether the meeting empties or is ended, even on a clock that
// goes on with every look.
func TestASessionEndsBeforeItsMeeting(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		var looks atomic.Int64
		ticking := func() time.Time { return s.Now().Add(time.Duration(looks.Add(1)) * time.Millisecond) }
		s.Live.Now, s.Breakouts.Now = ticking, ticking
		post := func(path, body string, out any) {
			t.Helper()
			a := s.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms" + path, Bearer: key, Body: body})
			if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
				t.Fatalf("%s: %d %s", path, a.Status, a.Body)
			}
		}
		for name, ends := range map[string]func(room string, leave func()){
			"it empties":  func(_ string, leave func()) { leave(); s.Tick(); s.Advance(11 * time.Second) },
			"it is ended": func(room string, _ func()) { post("/"+room+"/end", `{}`, &struct{}{}) },
		} {
			var room api.Room
			var token api.RoomToken
			post("", `{"name": "Weekly"}`, &room)
			post("/"+room.ID+"/tokens", `{"name": "Ada"}`, &token)
			upstream, _, err := s.Joins.LetThrough(t.Context(), token.Token)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Media.Connect(upstream); err != nil {
				t.Fatal(err)
			}
			leave := func() {
				if err := s.Media.Leave(room.ID, token.Identity); err != nil {
					t.Fatal(err)
				}
			}
			s.Tick()
			post("/"+room.ID+"/breakouts", `{"rooms": 1}`, &struct{}{})
			before := len(s.EventLog())
			ends(room.ID, leave)
			ordered(t, name, s, before)
		}
	})
}

// ordered checks that the events since a place are those of an end, in their order.
func ordered(t *testing.T, how string, s *servertest.Service, since int) {
	t.Helper()
	var (
		kinds []api.EventType
		last  time.Time
	)
	for _, e := range s.EventLog()[since:] {
		var data struct {
			OccurredAt time.Time `json:"occurred_at"`
		}
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		if data.OccurredAt.Before(last) {
			t.Errorf("%s: %s occurred at %v, and the event before it at %v", how, e.Type, data.OccurredAt, last)
		}
		kinds, last = append(kinds, e.Type), data.OccurredAt
	}
	want := []api.EventType{api.EventBreakoutEnded, api.EventParticipantLeft, api.EventRoomFinished}
	if slices.Sort(kinds); !slices.Equal(kinds, want) {
		t.Errorf("%s: the events are %v, want %v", how, kinds, want)
	}
}

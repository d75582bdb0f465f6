package breakout_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Two nodes on one database open a session, end it and let it expire at the same
// moment. One of them succeeds, and there is one event.
func TestTwoNodesOpenAndEndOneSession(t *testing.T) {
	t.Parallel()
	here := servertest.Start(t, dbtest.Config(t, db.PostgreSQL), servertest.Options{})
	there := here.AnotherNode()
	key := here.Key(here.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	var room api.Room
	a := here.Send(servertest.Request{Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Weekly"}`})
	if err := json.Unmarshal(a.Body, &room); err != nil {
		t.Fatal(err)
	}
	path := "/api/v1/rooms/" + room.ID + "/breakouts"
	// both sends the same request to both nodes at once, twice each, and returns
	// how often each status was answered.
	both := func(path, body string) map[int]int {
		var (
			asking  sync.WaitGroup
			mu      sync.Mutex
			answers = map[int]int{}
		)
		for i := range 4 {
			node := []*servertest.Service{here, there}[i%2]
			asking.Go(func() {
				a := node.Send(servertest.Request{Method: http.MethodPost, Path: path, Bearer: key, Body: body})
				mu.Lock()
				defer mu.Unlock()
				answers[a.Status]++
			})
		}
		asking.Wait()
		return answers
	}
	for round := range 3 {
		if got := both(path, `{"rooms": 2, "duration_seconds": 60}`); got[http.StatusCreated] != 1 || got[http.StatusConflict] != 3 {
			t.Errorf("round %d, opening: %v", round, got)
		}
		if round == 0 {
			for _, node := range []*servertest.Service{here, there} {
				node.Advance(59 * time.Second)
			}
			var expiring sync.WaitGroup
			for _, node := range []*servertest.Service{here, there} {
				expiring.Go(func() { node.Advance(time.Second) })
			}
			expiring.Wait()
			continue
		}
		if got := both(path+"/end", `{}`); got[http.StatusOK] != 1 || got[http.StatusConflict] != 3 {
			t.Errorf("round %d, ending: %v", round, got)
		}
	}
	told := map[api.EventType]int{}
	for _, e := range here.EventLog() {
		told[e.Type]++
	}
	if told[api.EventBreakoutStarted] != 3 || told[api.EventBreakoutEnded] != 3 {
		t.Errorf("the events are %v, want three sessions: %s", told, fmt.Sprint(here.EventLog()))
	}
}

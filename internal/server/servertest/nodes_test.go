package servertest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// hears waits for an event of a stream whose data contains a text, and returns
// how long that took.
func hears(t *testing.T, f *follower, name, holds string) time.Duration {
	t.Helper()
	began := time.Now()
	enough := time.NewTimer(patience)
	defer enough.Stop()
	for {
		select {
		case e, open := <-f.heard:
			if !open {
				t.Fatalf("the stream ended before it said %s %s", name, holds)
			}
			if e.name == name && strings.Contains(e.data, holds) {
				return time.Since(began)
			}
		case <-enough.C:
			t.Fatalf("the stream did not say %s %s", name, holds)
		}
	}
}

// seatOf holds the needed parts of the answer to a join.
type seatOf struct {
	Identity string `json:"identity"`
	Ticket   string `json:"ticket"`
	Decision string `json:"decision"`
	Token    string `json:"token"`
}

func (s *Service) ask(t *testing.T, method, path, bearer, body string, out any) Answer {
	t.Helper()
	a := s.Send(Request{Method: method, Path: path, Bearer: bearer, Body: body})
	if out != nil {
		if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
			t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
		}
	}
	return a
}

// A person waits on one node, and a host on the other lets them in. Then the
// first node stops, and they follow on the other one.
func TestTwoNodesAreOneService(t *testing.T) {
	t.Parallel()
	here := Start(t, dbtest.Config(t, db.PostgreSQL), Options{})
	there := here.AnotherNode()
	key := here.Key(here.Workspace("acme", "owner@acme.example"), api.Scopes()...)

	var room api.Room
	here.ask(t, http.MethodPost, "/api/v1/rooms", key, `{"name": "Weekly", "settings": {"admission": "knock"}}`, &room)
	var ada seatOf
	here.ask(t, http.MethodPost, "/meet/v1/join", "", `{"code": "`+room.Code+`", "name": "Ada"}`, &ada)
	waiting, _ := here.follow(ada.Ticket, "", "")
	hears(t, waiting, "door", `"knock"`)

	var list api.List[api.WaitingParticipant]
	there.ask(t, http.MethodGet, "/api/v1/rooms/"+room.ID+"/waiting", key, "", &list)
	if len(list.Data) != 1 || list.Data[0].Identity != ada.Identity {
		t.Fatalf("the other node shows %+v waiting", list.Data)
	}
	there.ask(t, http.MethodPost, "/api/v1/rooms/"+room.ID+"/waiting/"+ada.Identity, key, `{"decision": "admit"}`, &struct{}{})
	t.Logf("admitted on one node, known to the visitor on the other after %v", hears(t, waiting, "door", `"enter"`).Round(time.Millisecond))

	// A change on one node appears in a stream of the other.
	here.ask(t, http.MethodPatch, "/api/v1/rooms/"+room.ID, key, `{"settings": {"chat": false}}`, &struct{}{})
	following, _ := there.follow(ada.Ticket, "", "")
	hears(t, following, "room", `"chat":false`)
	here.ask(t, http.MethodPatch, "/api/v1/rooms/"+room.ID, key, `{"settings": {"chat": true}}`, &struct{}{})
	hears(t, following, "room", `"chat":true`)

	// The first node stops. Its stream says so, and the stream of the other node goes on.
	here.Stop()
	hears(t, waiting, "restarting", "")
	there.ask(t, http.MethodPatch, "/api/v1/rooms/"+room.ID, key, `{"name": "Monthly"}`, &struct{}{})
	hears(t, following, "room", "Monthly")

	// A node refuses a key within a second after a command revoked it.
	principal, _, err := there.Identity.Authenticate(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	command := &identity.Service{DB: there.DB(), Now: there.Now}
	if err := command.RevokeKey(t.Context(), principal.KeyID); err != nil {
		t.Fatal(err)
	}
	there.Pass(time.Second)
	if a := there.ask(t, http.MethodGet, "/api/v1/me", key, "", nil); a.Code() != api.CodeAPIKeyRevoked {
		t.Errorf("the revoked key answers %d %s", a.Status, a.Body)
	}
}

// A person follows the list of people on one node, and goes on with it on another
// node, or on one that was started after the change.
func TestAListOfPeopleGoesOnOnAnotherNode(t *testing.T) {
	t.Parallel()
	here := Start(t, dbtest.Config(t, db.PostgreSQL), Options{})
	there := here.AnotherNode()
	key := here.Key(here.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	var room api.Room
	here.ask(t, http.MethodPost, "/api/v1/rooms", key, `{"name": "Weekly"}`, &room)
	people := make([]seatOf, 3)
	for i := range people {
		here.ask(t, http.MethodPost, "/meet/v1/join", "", `{"code": "`+room.Code+`", "name": "Ada"}`, &people[i])
		upstream, _, err := here.Joins.LetThrough(t.Context(), people[i].Token)
		if err == nil {
			_, err = here.Media.Connect(upstream)
		}
		if err != nil {
			t.Fatal(err)
		}
		here.Settle()
	}
	type changes struct {
		Since    *string           `json:"since"`
		Revision string            `json:"revision"`
		Changed  []json.RawMessage `json:"changed"`
	}
	told := func(f *follower) (c changes) {
		t.Helper()
		e := next(t, f, "people_changed")
		if err := json.Unmarshal([]byte(e.data), &c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	raise := func(node *Service, raised string) {
		t.Helper()
		node.ask(t, http.MethodPost, "/meet/v1/hand", people[1].Ticket, `{"raised": `+raised+`}`, &struct{}{})
	}
	watching, _ := there.follow(people[2].Ticket, "", "people") // so that the other node reads every list
	told(watching)
	following, _ := here.follow(people[0].Ticket, "", "people")
	first := told(following)
	if first.Since != nil || len(first.Changed) != 3 {
		t.Fatalf("the first list is %+v", first)
	}
	following.quit()
	raise(here, "true")
	second := told(watching)

	following, _ = there.follow(people[0].Ticket, "people:"+first.Revision, "people")
	if c := told(following); c.Since == nil || *c.Since != first.Revision || c.Revision != second.Revision || len(c.Changed) != 1 {
		t.Errorf("the other node sends %+v, want one change since %s", c, first.Revision)
	}
	third := here.AnotherNode()
	late, _ := third.follow(people[0].Ticket, "people:"+first.Revision, "people")
	if c := told(late); c.Since != nil || c.Revision != second.Revision || len(c.Changed) != 3 {
		t.Errorf("a node without the old list sends %+v", c)
	}
	raise(third, "false")
	for name, f := range map[string]*follower{"old": following, "new": late} {
		if c := told(f); c.Since == nil || *c.Since != second.Revision || len(c.Changed) != 1 {
			t.Errorf("after a change, the %s node sends %+v", name, c)
		}
	}
}

// next waits for the next event of a name.
func next(t *testing.T, f *follower, name string) flowed {
	t.Helper()
	enough := time.NewTimer(patience)
	defer enough.Stop()
	for {
		select {
		case e, open := <-f.heard:
			if !open {
				t.Fatalf("the stream ended before it said %s", name)
			}
			if e.name == name {
				return e
			}
		case <-enough.C:
			t.Fatalf("the stream did not say %s", name)
		}
	}
}

// A person follows on one node and is moved on the other, by key and by their
// own wish. The stream announces the move, and each node lets them in only
// where they belong.
func TestAMoveOnOneNodeReachesTheOther(t *testing.T) {
	t.Parallel()
	here := Start(t, dbtest.Config(t, db.PostgreSQL), Options{})
	there := here.AnotherNode()
	key := here.Key(here.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	var room api.Room
	here.ask(t, http.MethodPost, "/api/v1/rooms", key, `{"name": "Weekly"}`, &room)
	var ada seatOf
	here.ask(t, http.MethodPost, "/meet/v1/join", "", `{"code": "`+room.Code+`", "name": "Ada"}`, &ada)
	upstream, _, err := here.Joins.LetThrough(t.Context(), ada.Token)
	if err == nil {
		_, err = here.Media.Connect(upstream)
	}
	if err != nil {
		t.Fatal(err)
	}
	here.Settle()
	following, _ := here.follow(ada.Ticket, "", "")
	hears(t, following, "breakouts", `"session":null`)

	var session api.BreakoutSession
	there.ask(t, http.MethodPost, "/api/v1/rooms/"+room.ID+"/breakouts", key, `{"rooms": 1}`, &session)
	place := `"place":"` + session.Rooms[0].ID + `"`
	t.Logf("moved on one node, known to the device on the other after %v", hears(t, following, "breakouts", place).Round(time.Millisecond))
	var renewed seatOf
	there.ask(t, http.MethodPost, "/meet/v1/token", ada.Ticket, "", &renewed)
	for _, node := range []*Service{here, there} {
		if _, _, err := node.Joins.LetThrough(t.Context(), ada.Token); !fault.HasCode(err, api.CodeMoved) {
			t.Errorf("the old token: %v", err)
		}
	}
	_, seat, err := here.Joins.LetThrough(t.Context(), renewed.Token)
	if err != nil || seat.BreakoutID != session.Rooms[0].ID {
		t.Errorf("the new one leads to %q: %v", seat.BreakoutID, err)
	}

	there.ask(t, http.MethodPost, "/meet/v1/breakouts/return", ada.Ticket, "", &struct{}{})
	hears(t, following, "breakouts", `"place":null`)
	there.ask(t, http.MethodPost, "/api/v1/rooms/"+room.ID+"/breakouts/end", key, "", &struct{}{})
	hears(t, following, "breakouts", `"session":null`)
}

// The limit of announcements applies to the room, on all nodes together.
func TestAnnouncementsAreCountedAcrossNodes(t *testing.T) {
	t.Parallel()
	here := Start(t, dbtest.Config(t, db.PostgreSQL), Options{RateLimits: true})
	there := here.AnotherNode()
	key := here.Key(here.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	var room api.Room
	here.ask(t, http.MethodPost, "/api/v1/rooms", key, `{"name": "Weekly"}`, &room)
	path := "/api/v1/rooms/" + room.ID + "/breakouts"
	here.ask(t, http.MethodPost, path, key, `{"rooms": 1}`, &struct{}{})
	for i := range 10 {
		node := []*Service{here, there}[i%2]
		node.ask(t, http.MethodPost, path+"/announce", key, `{"message": "Five more minutes"}`, &struct{}{})
	}
	for _, node := range []*Service{here, there} {
		if a := node.ask(t, http.MethodPost, path+"/announce", key, `{"message": "One more"}`, nil); a.Code() != api.CodeRateLimited {
			t.Errorf("the eleventh: %d %s", a.Status, a.Body)
		}
	}
}

// A person who waits loads the page again and is led to another node. Hosts go on seeing
// them, although the first node notes that nobody follows there.
func TestAPersonWhoWaitsGoesToAnotherNode(t *testing.T) {
	t.Parallel()
	here := Start(t, dbtest.Config(t, db.PostgreSQL), Options{})
	there := here.AnotherNode()
	key := here.Key(here.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	var room api.Room
	here.ask(t, http.MethodPost, "/api/v1/rooms", key, `{"name": "Weekly", "settings": {"admission": "knock"}}`, &room)
	var ada seatOf
	here.ask(t, http.MethodPost, "/meet/v1/join", "", `{"code": "`+room.Code+`", "name": "Ada"}`, &ada)
	first, _ := here.follow(ada.Ticket, "", "")
	hears(t, first, "door", `"knock"`)
	first.quit()
	<-first.over
	second, _ := there.follow(ada.Ticket, "", "")
	hears(t, second, "door", `"knock"`)

	changed, cancel := there.Hub.Subscribe(stream.Topic(room.ID))
	defer cancel()
	here.Advance(5 * time.Second)
	enough := time.NewTimer(10 * time.Second) // less than a heartbeat, which would notice by itself
	defer enough.Stop()
	for there.Count("seat WHERE away_at IS NULL") == 0 {
		select {
		case <-changed:
		case <-enough.C:
			t.Fatal("the second node does not note that Ada follows there")
		}
	}
}

// Opening a stream counts for the address from which it comes.
func TestStreamsCountForTheirAddress(t *testing.T) {
	t.Parallel()
	s := Start(t, dbtest.Config(t, db.SQLite), Options{RateLimits: true})
	key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	var room api.Room
	s.ask(t, http.MethodPost, "/api/v1/rooms", key, `{"name": "Weekly"}`, &room)
	var ada seatOf
	s.ask(t, http.MethodPost, "/meet/v1/join", "", `{"code": "`+room.Code+`", "name": "Ada"}`, &ada)
	_, answer := s.follow(ada.Ticket, "", "")
	if got, want := answer.Header.Get("RateLimit-Policy"), `"requests";q=100;w=5, "streams";q=1000;w=10`; got != want {
		t.Errorf("RateLimit-Policy %s, want %s", got, want)
	}
}

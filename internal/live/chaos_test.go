package live_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// chaos is a room in which random things happen.
type chaos struct {
	*servertest.Service

	t      *testing.T
	dice   *rand.Rand
	key    string
	room   string
	tokens []string // one for each person
	who    []string // their identities
	steps  []string // what happened, for the message of a failure
}

// People, networks, the media server and the service do random things in random
// order. Everybody who joined leaves exactly once, meetings start and finish in
// pairs, and nobody joins outside of a meeting.
func TestTheEventLogIsRightAfterRandomSteps(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s %d", engine, seed), func(t *testing.T) {
				t.Parallel()
				c := begin(t, engine, seed)
				for range 120 {
					c.step()
					c.compare()
				}
				c.end()
			})
		}
	}
}

func begin(t *testing.T, engine db.Engine, seed uint64) *chaos {
	t.Helper()
	c := &chaos{Service: servertest.Start(t, dbtest.Config(t, engine), servertest.Options{}), t: t, dice: rand.New(rand.NewPCG(seed, 2026))}
	c.key = c.Key(c.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	var r api.Room
	c.api(http.MethodPost, "/rooms", `{"name": "Weekly"}`, &r)
	c.room = r.ID
	for i := range 5 {
		var token api.RoomToken
		c.api(http.MethodPost, "/rooms/"+c.room+"/tokens", fmt.Sprintf(`{"name": "Person %d"}`, i), &token)
		c.tokens, c.who = append(c.tokens, token.Token), append(c.who, token.Identity)
	}
	return c
}

func (c *chaos) api(method, path, body string, out any) {
	c.t.Helper()
	a := c.Send(servertest.Request{Method: method, Path: "/api/v1" + path, Bearer: c.key, Body: body})
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
		c.t.Fatalf("%s %s: %d %s\n%s", method, path, a.Status, a.Body, strings.Join(c.steps, "\n"))
	}
}

// step makes one random thing happen.
func (c *chaos) step() {
	n := c.dice.IntN(len(c.tokens))
	happens := map[string]func(){
		"connects":               func() { c.connect(n) },
		"comes":                  func() { c.connect(n); c.wantIn(c.who[n]) },
		"is let through":         func() { _, _, _ = c.Joins.LetThrough(c.t.Context(), c.tokens[n]) },
		"says goodbye":           func() { _ = c.Media.Leave(c.room, c.who[n]) }, // refused when they are not there
		"vanishes":               func() { _ = c.Media.Vanish(c.room, c.who[n]) },
		"vanishes and returns":   func() { _ = c.Media.Vanish(c.room, c.who[n]); c.connect(n) },
		"waits a moment":         func() { c.Advance(time.Duration(c.dice.IntN(3000)) * time.Millisecond) },
		"waits":                  func() { c.Advance(time.Duration(c.dice.IntN(20)) * time.Second) },
		"hints are lost":         func() { c.Media.LoseHints(true) },
		"hints arrive":           func() { c.Media.LoseHints(false) },
		"media restarts":         c.Media.Restart,
		"the service restarts":   func() { c.Stop(); c.Reopen() },
		"everybody lists people": c.listsAtOnce,
	}
	what := slices.Sorted(keys(happens))[c.dice.IntN(len(happens))]
	c.steps = append(c.steps, fmt.Sprintf("%s person %d %s", c.Now().Format("15:04:05.000"), n, what))
	happens[what]()
	if c.dice.IntN(2) == 0 { // otherwise the next step comes before a Sync noticed this one
		c.Settle()
	}
}

func keys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// connect brings a person in. A person who left and whose token has expired gets
// a new one first.
func (c *chaos) connect(n int) {
	upstream, _, err := c.Joins.LetThrough(c.t.Context(), c.tokens[n])
	if err != nil {
		var token api.RoomToken
		c.api(http.MethodPost, "/rooms/"+c.room+"/tokens", fmt.Sprintf(`{"name": "Person %d"}`, n), &token)
		c.tokens[n], c.who[n] = token.Token, token.Identity
		if upstream, _, err = c.Joins.LetThrough(c.t.Context(), c.tokens[n]); err != nil {
			c.t.Fatalf("a new token is refused: %v\n%s", err, strings.Join(c.steps, "\n"))
		}
	}
	if _, err := c.Media.Connect(upstream); err != nil {
		c.t.Fatalf("the media server refuses the gate's token: %v", err)
	}
}

// listsAtOnce causes many Syncs at once while a person leaves.
func (c *chaos) listsAtOnce() {
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			c.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/rooms/" + c.room + "/participants", Bearer: c.key})
		})
	}
	asking.Go(func() { c.Live.Tick(c.t.Context()) })
	_ = c.Media.Vanish(c.room, c.who[c.dice.IntN(len(c.who))])
	asking.Wait()
}

// wantIn checks that a person who is connected to the media server is listed.
func (c *chaos) wantIn(identity string) {
	c.t.Helper()
	var list api.List[api.Participant]
	c.api(http.MethodGet, "/rooms/"+c.room+"/participants", "", &list)
	if !slices.ContainsFunc(list.Data, func(p api.Participant) bool { return p.Identity == identity }) {
		c.fail("%s came in and is not listed", identity)
	}
}

// compare checks that the list of participants and the log agree, as they must
// after every Sync.
func (c *chaos) compare() {
	c.t.Helper()
	var list api.List[api.Participant]
	c.api(http.MethodGet, "/rooms/"+c.room+"/participants", "", &list)
	listed := map[string]bool{}
	for _, p := range list.Data {
		listed[p.Identity] = true
	}
	in := c.replay()
	for identity := range in {
		if !listed[identity] {
			c.fail("the log has %s in, the list does not", identity)
		}
	}
	if len(in) != len(listed) {
		c.fail("the log has %d people in, the list %d", len(in), len(listed))
	}
}

func (c *chaos) fail(format string, args ...any) {
	c.t.Helper()
	c.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(c.steps, "\n"))
}

// replay reads the log as a receiver does, and returns who is in at its end.
func (c *chaos) replay() map[string]bool {
	c.t.Helper()
	in, session := map[string]bool{}, ""
	for _, e := range c.EventLog() {
		session = c.replayOne(e, in, session)
	}
	return in
}

func (c *chaos) replayOne(e event.Event, in map[string]bool, session string) string {
	c.t.Helper()
	var data struct {
		Session     struct{ ID string }
		Participant struct{ Identity string }
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		c.t.Fatal(err)
	}
	who := data.Participant.Identity
	switch e.Type {
	case api.EventRoomStarted:
		if session != "" {
			c.fail("a meeting started while another ran")
		}
		return data.Session.ID
	case api.EventRoomFinished:
		if session != data.Session.ID || len(in) > 0 {
			c.fail("the meeting %s finished with %d people in, running was %q", data.Session.ID, len(in), session)
		}
		return ""
	case api.EventParticipantJoined:
		if in[who] || session == "" {
			c.fail("%s joined, in before: %v, meeting %q", who, in[who], session)
		}
		in[who] = true
	case api.EventParticipantLeft:
		if !in[who] {
			c.fail("%s left and was not in", who)
		}
		delete(in, who)
	default:
	}
	return session
}

// end makes everybody leave and the meeting close.
func (c *chaos) end() {
	c.t.Helper()
	for _, identity := range c.who {
		_ = c.Media.Leave(c.room, identity)
	}
	c.Settle()
	for range 30 {
		c.Advance(2 * time.Second)
	}
	in := c.replay()
	log := c.EventLog()
	started := slices.ContainsFunc(log, func(e event.Event) bool { return e.Type == api.EventRoomStarted })
	if len(in) > 0 || !started || log[len(log)-1].Type != api.EventRoomFinished {
		c.fail("at the end %d people are in, and the last event is %s", len(in), log[len(log)-1].Type)
	}
}

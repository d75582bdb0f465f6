package servertest

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// soon is much less than the time after which every meeting is looked at anyway.
const soon = time.Second

// twoGates are two nodes of a service with a meeting: the media server sends its
// hints to the first, and the device of a person comes in through the second.
type twoGates struct {
	t           *testing.T
	media, gate *Service
	key         string
	room        api.Room
	at          string      // the media room where the device came in through the second node
	soon        chan func() // what the second node wants to do soon
}

func newTwoGates(t *testing.T) *twoGates {
	t.Helper()
	g := &twoGates{t: t, soon: make(chan func(), 16)}
	g.media = Start(t, dbtest.Config(t, db.PostgreSQL), Options{})
	g.gate = g.media.AnotherNode()
	g.key = g.media.Key(g.media.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	g.media.ask(t, http.MethodPost, "/api/v1/rooms", g.key, `{"name": "Weekly"}`, &g.room)
	g.joins("Host") // who stays
	g.gate.Live.Later = func(d time.Duration, f func()) {
		if d < soon {
			g.soon <- f
		}
	}
	return g
}

// joins lets somebody come in through the first node.
func (g *twoGates) joins(name string) (s seatOf) {
	g.t.Helper()
	g.media.ask(g.t, http.MethodPost, "/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": %q}`, g.room.Code, name), &s)
	upstream, _, err := g.media.Joins.LetThrough(g.t.Context(), s.Token)
	if err == nil {
		_, err = g.media.Media.Connect(upstream)
	}
	g.must(err)
	g.media.Settle()
	return s
}

func (g *twoGates) must(err error) {
	g.t.Helper()
	if err != nil {
		g.t.Fatal(err)
	}
}

// arrives lets the person's device through the second node, where its media
// connection is not established yet.
func (g *twoGates) arrives(token string) {
	g.t.Helper()
	upstream, held, err := g.gate.Joins.LetThrough(g.t.Context(), token)
	if err == nil {
		g.at = held.MediaRoom()
		_, err = g.gate.Media.Arrive(upstream)
	}
	g.must(err)
	g.media.Settle()
}

// goodbye lets the second node hear a goodbye of a device that is still connected.
func (g *twoGates) goodbye(identity string) {
	g.t.Helper()
	g.gate.Live.Goodbye(g.at, identity)
	g.gate.Live.Quiesce()
	g.wantLeft()
}

// looksAgain runs what the second node wanted to do soon.
func (g *twoGates) looksAgain() {
	g.t.Helper()
	for len(g.soon) > 0 {
		(<-g.soon)()
		g.gate.Live.Quiesce()
	}
}

// wantLeft checks the reasons for which people have left.
func (g *twoGates) wantLeft(want ...string) {
	g.t.Helper()
	var list struct {
		Data []struct {
			Type api.EventType
			Data struct{ Reason string }
		}
	}
	g.gate.ask(g.t, http.MethodGet, "/api/v1/events", g.key, "", &list)
	var got []string
	for _, e := range list.Data {
		if e.Type == api.EventParticipantLeft {
			got = append(got, e.Data.Reason)
		}
	}
	if !slices.Equal(got, want) {
		g.t.Fatalf("people have left for the reasons %q, want %q", got, want)
	}
	if n := g.gate.Count("seat WHERE status = 'in'"); len(want) > 0 && n != 1 {
		g.t.Errorf("%d people are in, want the host", n)
	}
}

// A person leaves on the way to a breakout room. The node that hears of the end of
// the old connection does not know of the goodbye, so it gives them ten seconds.
func TestAGoodbyeOnTheWayThroughAnotherNode(t *testing.T) {
	t.Parallel()
	g := newTwoGates(t)
	ada := g.joins("Ada")
	g.gate.ask(t, http.MethodPost, "/api/v1/rooms/"+g.room.ID+"/breakouts", g.key,
		fmt.Sprintf(`{"rooms": ["Red"], "assign": "manual", "placements": [{"participant": %q, "room": 0}]}`, ada.Identity), &struct{}{})
	var renewed seatOf
	g.gate.ask(t, http.MethodPost, "/meet/v1/token", ada.Ticket, "", &renewed)
	g.arrives(renewed.Token)
	g.goodbye(ada.Identity)
	g.must(g.media.Media.Vanish(g.at, ada.Identity))
	g.must(g.media.Media.Leave(seat.MediaRoom(g.room.ID, ""), ada.Identity))
	g.media.Settle()
	g.wantLeft()
	g.looksAgain()
	g.wantLeft("left")
}

// A person leaves whose device only publishes. The media server reports that the device
// is gone, but not that it said goodbye.
func TestAGoodbyeOfADeviceThatOnlyPublishesThroughAnotherNode(t *testing.T) {
	t.Parallel()
	g := newTwoGates(t)
	var cy seatOf
	g.gate.ask(t, http.MethodPost, "/api/v1/rooms/"+g.room.ID+"/tokens", g.key, `{"name": "Cy"}`, &cy)
	g.arrives(cy.Token)
	_, err := g.media.Media.Publish(g.at, cy.Identity, media.Microphone, false)
	g.must(err)
	g.media.Settle()
	g.goodbye(cy.Identity)
	g.must(g.media.Media.Leave(g.at, cy.Identity))
	g.media.Settle()
	g.wantLeft()
	g.looksAgain()
	g.wantLeft("left")
}

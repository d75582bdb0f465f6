package server_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// People who leave at the moment when they arrive in a breakout room are reported as
// having left, and not as lost, in whatever order their devices close the two
// connections.
func (r *running) testLeavesOnTheWay(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	host := r.join(t, r.token(t, room, "Host", "host"))
	var session api.BreakoutSession
	r.api(t, http.MethodPost, "/rooms/"+room.ID+"/breakouts", map[string]any{"rooms": []string{"Red"}, "assign": "manual"}, &session)
	const people = 6
	var movers []*mover
	for i := range people {
		movers = append(movers, r.meets(t, room, fmt.Sprintf("Person%d", i), "participant"))
	}
	r.within(t, patience, "all are in", func() bool { return len(r.people(t, room)) == people+1 })
	var leaving sync.WaitGroup
	for i, m := range movers {
		r.api(t, http.MethodPost, "/rooms/"+room.ID+"/breakouts/assignments", map[string]any{"participant": m.Identity(), "breakout_id": session.Rooms[0].ID}, nil)
		if status := r.call(t, http.MethodPost, "/meet/v1/token", m.ticket, nil, &m.token); status != http.StatusOK {
			t.Fatalf("%s gets no token: %d", m.name, status)
		}
		r.issued(m.token.Token, m.token.E2EEPassphrase)
		leaving.Go(func() {
			next, err := mediaclient.Connect(limited(t), mediaclient.Options{URL: m.token.ServerURL, Token: m.token.Token, Passphrase: m.token.E2EEPassphrase})
			if err != nil {
				t.Errorf("%s does not get to the breakout room: %v", m.name, err)
				return
			}
			first, second := m.Participant, next
			if i%2 == 0 {
				first, second = second, first
			}
			first.Disconnect()
			second.Disconnect()
		})
	}
	leaving.Wait()
	// Somebody whose connection is lost stays on the list for ten seconds.
	r.within(t, 8*time.Second, "only the host is on the list", func() bool { return len(r.people(t, room)) == 1 })
	for _, e := range r.events(t, room) {
		if e != "participant.left left" && e != "participant.joined" && e != "room.created" && e != "room.started" && e != "breakout.started" {
			t.Errorf("there is an event %q", e)
		}
	}
	if _, went := r.cameAndWent(t, room); went != people {
		t.Errorf("%d people have left, want %d", went, people)
	}
	host.Disconnect()
}

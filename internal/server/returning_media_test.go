package server_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// Somebody who was alone in a meeting comes back with the same token at the moment
// when it closes, ten seconds after they left: 11 people at once, each in a room of
// their own and a little later than the one before. Either they come in time and the
// meeting goes on, or they start the next meeting. In both cases they stay in.
func (r *running) testComesBackAsItCloses(t *testing.T) {
	t.Parallel()
	const people, first, step = 11, 9800 * time.Millisecond, 30 * time.Millisecond
	rooms, tokens := make([]api.Room, people), make([]api.RoomToken, people)
	here := make([]*mediaclient.Participant, people)
	for i := range people {
		rooms[i] = r.room(t, nil)
		tokens[i] = r.token(t, rooms[i], "Ada", "participant")
		here[i] = r.join(t, tokens[i])
		r.within(t, patience, "Ada is in", func() bool { return len(r.people(t, rooms[i])) == 1 })
	}
	left := []string{"room.created", "room.started", "participant.joined", "participant.left left"}
	for _, ada := range here {
		ada.Disconnect()
	}
	var returning sync.WaitGroup
	for i, token := range tokens {
		r.within(t, time.Minute, "Ada has left", func() bool { return slices.Equal(r.events(t, rooms[i]), left) })
		moment := time.After(time.Until(r.leftAt(t, rooms[i]).Add(first + time.Duration(i)*step)))
		returning.Go(func() {
			back, err := mediaclient.Connect(limited(t), mediaclient.Options{
				URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase, Before: func() { <-moment },
			})
			if err != nil {
				t.Errorf("after %v Ada cannot come back: %v", first+time.Duration(i)*step, err)
				return
			}
			t.Cleanup(back.Disconnect)
			here[i] = back
		})
	}
	returning.Wait()
	if t.Failed() {
		return
	}
	goesOn := append(slices.Clone(left), "participant.joined")
	next := append(slices.Clone(left), "room.finished", "room.started", "participant.joined")
	continued := 0
	var events []string
	defer func() {
		if t.Failed() {
			t.Logf("the events: %q", events)
		}
	}()
	for _, room := range rooms {
		r.within(t, patience, "Ada is in again", func() bool {
			events = r.events(t, room)
			return slices.Equal(events, goesOn) || slices.Equal(events, next)
		})
		if slices.Equal(events, goesOn) {
			continued++
		}
	}
	time.Sleep(3 * time.Second) // only waiting shows that they stay
	for i, room := range rooms {
		if err := here[i].Err(); err != nil || len(r.people(t, room)) != 1 {
			t.Errorf("after %v Ada came back, and was put out: %v", first+time.Duration(i)*step, err)
		}
	}
	t.Logf("%d meetings went on, %d ended", continued, people-continued)
}

// leftAt is when the last person left a room, by its events.
func (r *running) leftAt(t *testing.T, room api.Room) (at time.Time) {
	t.Helper()
	err := r.service.DB().Read(limited(t), func(tx *db.Tx) error {
		all, err := r.service.Events.List(limited(t), tx, event.Filter{})
		for _, e := range all {
			var data api.ParticipantEvent
			if e.Type == api.EventParticipantLeft && json.Unmarshal(e.Data, &data) == nil && data.Room.ID == room.ID {
				at = e.CreatedAt
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

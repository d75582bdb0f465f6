package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// mover is a person with a custom interface that follows its stream to other
// rooms.
type mover struct {
	*mediaclient.Participant

	name, person string
	ticket       string
	token        api.RoomToken // the latest one they connected with
}

// meets connects a person who speaks.
func (r *running) meets(t *testing.T, room api.Room, name, role string) *mover {
	t.Helper()
	m := &mover{name: name, person: "api_" + name, token: r.token(t, room, name, role)}
	var seat struct{ Ticket string }
	if status := r.call(t, http.MethodPost, "/meet/v1/tickets", "", map[string]any{"token": m.token.Token}, &seat); status != http.StatusOK {
		t.Fatalf("%s gets no ticket: %d", name, status)
	}
	m.ticket = seat.Ticket
	r.issued(m.ticket)
	m.Participant = r.join(t, m.token)
	r.speaks(t, m)
	return m
}

func (r *running) speaks(t *testing.T, m *mover) {
	t.Helper()
	if _, err := m.Publish(limited(t), media.Microphone); err != nil {
		t.Fatalf("%s cannot speak: %v", m.name, err)
	}
}

// moves connects a person to the room where they belong now, and then leaves
// the former one.
func (r *running) moves(t *testing.T, m *mover) {
	t.Helper()
	if status := r.call(t, http.MethodPost, "/meet/v1/token", m.ticket, nil, &m.token); status != http.StatusOK {
		t.Fatalf("%s gets no token: %d", m.name, status)
	}
	r.issued(m.token.Token, m.token.E2EEPassphrase)
	old := m.Participant
	m.Participant = r.join(t, m.token)
	r.speaks(t, m)
	old.Disconnect()
}

// hear checks that people hear each other, and that nobody else is there.
func (r *running) hear(t *testing.T, people ...*mover) {
	t.Helper()
	for _, listener := range people {
		var others []string
		for _, speaker := range people {
			if speaker == listener {
				continue
			}
			others = append(others, speaker.Identity())
			if err := listener.WaitFrames(limited(t), speaker.Identity(), media.Microphone, 20); err != nil {
				t.Errorf("%s does not hear %s: %v", listener.name, speaker.name, err)
			}
		}
		slices.Sort(others)
		r.within(t, patience, fmt.Sprintf("%s is with %v and nobody else", listener.name, others), func() bool {
			return slices.Equal(listener.Others(), others)
		})
	}
}

// People are distributed to breakouts and come back, with real tracks and keys:
// who hears the others before, during and after, and who cannot enter or listen.
func TestBreakoutsWithRealMedia(t *testing.T) {
	t.Parallel()
	r := start(t)
	room := r.room(t, nil)
	host, ada := r.meets(t, room, "Host", "host"), r.meets(t, room, "Ada", "participant")
	ben, cid := r.meets(t, room, "Ben", "participant"), r.meets(t, room, "Cid", "participant")
	r.hear(t, host, ada, ben, cid)
	inMain := ada.token

	var session api.BreakoutSession
	r.api(t, http.MethodPost, "/rooms/"+room.ID+"/breakouts", map[string]any{"rooms": []string{"Red", "Blue"}, "assign": "manual", "placements": []any{
		map[string]any{"participant": ada.person, "room": 0}, map[string]any{"participant": ben.Identity(), "room": 0}, map[string]any{"participant": cid.person, "room": 1},
	}}, &session)
	for _, m := range []*mover{ada, ben, cid} {
		r.moves(t, m)
	}
	r.hear(t, ada, ben)
	r.hear(t, cid)
	r.hear(t, host)
	keys := []string{inMain.E2EEPassphrase, ada.token.E2EEPassphrase, cid.token.E2EEPassphrase}
	if ben.token.E2EEPassphrase != keys[1] || keys[0] == keys[1] || keys[1] == keys[2] || keys[0] == keys[2] {
		t.Error("the keys are not one for each media room")
	}

	// A token of the main room, still valid, no longer connects.
	if old, err := mediaclient.Connect(limited(t), mediaclient.Options{URL: inMain.ServerURL, Token: inMain.Token, Passphrase: keys[0]}); err == nil {
		old.Disconnect()
		t.Error("Ada's token of the main room still connects")
	}
	// With the connection but without the key, nothing can be heard.
	for i, key := range []string{keys[0], keys[2]} {
		var device api.RoomToken
		ghost := r.token(t, room, "Ada", "participant")
		if status := r.call(t, http.MethodPost, "/meet/v1/tickets", "", map[string]any{"token": ghost.Token}, &device); status != http.StatusOK {
			t.Fatalf("Ada's second device gets no ticket: %d", status)
		}
		device.E2EEPassphrase = key
		deaf := r.join(t, device)
		if err := deaf.WaitUndecryptable(limited(t), ben.Identity(), media.Microphone, 20); err != nil {
			t.Errorf("the wrong key: %v", err)
		}
		if n := deaf.FramesDecrypted(ben.Identity(), media.Microphone); n > 0 {
			t.Errorf("with the key of another room %d frames open", n)
		}
		r.within(t, patience, "the device counts as in", func() bool { came, _ := r.cameAndWent(t, room); return came == 5+i })
		deaf.Disconnect()
	}

	inRed := ada.token
	r.api(t, http.MethodPost, "/rooms/"+room.ID+"/breakouts/end", nil, nil)
	for _, m := range []*mover{ada, ben, cid} {
		r.moves(t, m)
	}
	r.hear(t, host, ada, ben, cid)
	if ada.token.E2EEPassphrase != keys[0] {
		t.Error("the main room's key has changed")
	}
	if old, err := mediaclient.Connect(limited(t), mediaclient.Options{URL: inRed.ServerURL, Token: inRed.Token, Passphrase: keys[1]}); err == nil {
		old.Disconnect()
		t.Error("Ada's token of the breakout still connects")
	}
	// The four and Ada's second device joined, the latter twice. It left twice,
	// the second time while everybody was on the way back, which takes until
	// its time to move is over.
	r.within(t, 2*patience, "the second device has left, and nobody else", func() bool {
		came, went := r.cameAndWent(t, room)
		return came == 6 && went == 2
	})
}

// cameAndWent counts, from the events, who has joined a room and left it.
func (r *running) cameAndWent(t *testing.T, room api.Room) (came, went int) {
	t.Helper()
	for _, e := range r.events(t, room) {
		switch {
		case strings.HasPrefix(e, string(api.EventParticipantJoined)):
			came++
		case strings.HasPrefix(e, string(api.EventParticipantLeft)):
			went++
		}
	}
	return came, went
}

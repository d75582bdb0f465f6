package server_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// Ben's device has only the subscribing half of its connection, because it
// publishes nothing; Cy's has only the publishing half. Both are in the list
// before anybody hears anything, both can be removed, and each joins and leaves
// once. Nobody requests the list before the events are counted, so that the
// service must find Cy by itself.
func (r *running) testHalves(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	ada := r.join(t, r.token(t, room, "Ada", "participant"))
	if _, err := ada.Publish(limited(t), media.Microphone); err != nil {
		t.Fatal(err)
	}
	ben := r.join(t, r.token(t, room, "Ben", "participant"))
	if err := ben.WaitFrames(limited(t), ada.Identity(), media.Microphone, 1); err != nil {
		t.Fatal(err)
	}
	if people := r.people(t, room); people["Ben"].Identity != ben.Identity() {
		t.Errorf("at the first frame that Ben hears the list is %v", people)
	}
	token := r.token(t, room, "Cy", "participant")
	cy := mediatest.Join(t, mediaclient.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase, Half: true})
	if people := r.people(t, room); people["Cy"].Identity != "" {
		t.Errorf("with signalling alone Cy is listed: %v", people)
	}
	if _, err := cy.Publish(limited(t), media.Microphone); err != nil {
		t.Fatal(err)
	}
	r.within(t, patience, "an event tells that Cy is in", func() bool {
		return slices.Equal(r.events(t, room), []string{"room.created", "room.started", "participant.joined", "participant.joined", "participant.joined"})
	})
	if err := ada.WaitFrames(limited(t), cy.Identity(), media.Microphone, 10); err != nil {
		t.Fatal(err)
	}
	if people := r.people(t, room); people["Cy"].Identity != cy.Identity() || people["Cy"].AudioMuted {
		t.Errorf("Ada hears Cy, and the list is %v", people)
	}
	r.api(t, http.MethodPost, "/rooms/"+room.ID+"/participants/"+cy.Identity()+"/mute", nil, nil)
	r.silent(t, ada, cy, media.Microphone)
	if people := r.people(t, room); !people["Cy"].AudioMuted {
		t.Errorf("Cy was muted, and the list is %v", people)
	}
	r.leavesOnce(t, room, cy, 1)
	r.leavesOnce(t, room, ben, 2)
}

// A device that only publishes says goodbye: its person has left, although the media
// server reports no goodbye of half a connection.
func (r *running) testHalfLeaves(t *testing.T) {
	t.Parallel()
	room := r.room(t, nil)
	token := r.token(t, room, "Cy", "participant")
	cy := mediatest.Join(t, mediaclient.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase, Half: true})
	if _, err := cy.Publish(limited(t), media.Microphone); err != nil {
		t.Fatal(err)
	}
	r.within(t, patience, "Cy is in", func() bool { return slices.Contains(r.events(t, room), "participant.joined") })
	cy.Disconnect()
	said := time.Now()
	want := []string{"room.created", "room.started", "participant.joined", "participant.left left"}
	r.within(t, patience, "an event tells that Cy has left", func() bool { return slices.Equal(r.events(t, room), want) })
	t.Logf("%v after the goodbye Cy had left", time.Since(said).Round(time.Millisecond))
}

// leavesOnce removes a participant, and checks that they are disconnected and
// are the nth to have left.
func (r *running) leavesOnce(t *testing.T, room api.Room, who *mediaclient.Participant, nth int) {
	t.Helper()
	r.api(t, http.MethodDelete, "/rooms/"+room.ID+"/participants/"+who.Identity(), nil, nil)
	select {
	case <-who.Gone():
	case <-time.After(patience):
		t.Errorf("%s is still connected", who.Identity())
	}
	if _, went := r.cameAndWent(t, room); went != nth {
		t.Errorf("with %d removed the events are %v", nth, r.events(t, room))
	}
}
